/// Finds a message by its id, wherever it is: the newest ones are only in the log, the others in the store.
///
/// The answer knows of every event that was accepted before the question: a message that was just sent is found, one
/// that was just deleted is gone. It costs two short reads of the store and one of the log, which nearly always has
/// nothing to add; stateless, callable from anywhere.
package struct MessageFinder: Sendable {
    private let log: any MessageLog
    private let store: any MessageStore

    /// Events read from the log at a time, and how often at most: what is above is not looked through.
    private static let (slice, slices) = (1000, 20)

    package init(log: any MessageLog, store: any MessageStore) {
        self.log = log
        self.store = store
    }

    /// - Returns: `nil` if the thread has no such message.
    /// - Throws: `StoreError.unavailable` if log or store are away, or if so much is not stored yet that the log has
    ///   forgotten some of it and the message may be there.
    package func find(_ id: MessageID, in thread: ThreadID) async throws(StoreError) -> MessagePlace? {
        // In this order: what is above the head is in the log, or was stored in the meantime.
        let head = try await store.head(of: thread)?.position.seq ?? 0
        var news = try await News(of: id, in: thread, after: head, log)
        guard let stored = try await store.message(id, in: thread) else {
            if let sent = news.sent { return sent }
            guard news.isComplete else {
                throw .unavailable("the log has forgotten events that are not stored yet")
            }
            return nil
        }
        news.sent = stored
        if news.isDeleted { news.sent?.isGone = true }
        return news.sent
    }

    /// What the log says of a message above the store's head.
    private struct News {
        var sent: MessagePlace?
        var isDeleted = false
        /// Everything above the head was seen.
        var isComplete = false

        init(
            of id: MessageID, in thread: ThreadID, after head: Int64, _ log: any MessageLog
        ) async throws(StoreError) {
            var (seq, isWhole) = (head, true)
            for _ in 0..<MessageFinder.slices {
                let slice = try await MessageFinder.read(thread, after: seq, log)
                // Below the first slice something is missing, or between two it was lost just now.
                if slice.isTruncated { isWhole = false }
                for event in slice.events { note(event, id) }
                guard let last = slice.events.last, slice.events.count == MessageFinder.slice else {
                    isComplete = isWhole
                    return
                }
                seq = last.position.seq
            }
        }

        private mutating func note(_ event: LogEvent, _ id: MessageID) {
            switch event.body {
            case .message(let message) where message.id == id:
                sent = MessagePlace(
                    seq: event.position.seq, sender: message.sender.id, isGone: message.isDeleted || message.isErased)
            case .deleted(let deletion) where deletion.messageID == id:
                isDeleted = true
                sent?.isGone = true
            default:
                break
            }
        }
    }

    private static func read(
        _ thread: ThreadID, after seq: Int64, _ log: any MessageLog
    ) async throws(StoreError) -> LogSlice {
        do {
            return try await log.events(in: thread, after: seq, limit: slice)
        } catch {
            switch error {
            case .unavailable(let reason): throw .unavailable(reason)
            case .conflict: throw .failed("a reading log speaks of a conflict")
            }
        }
    }
}
