/// Finds a message by its id. The newest messages are only in the log, and older ones in the store.
///
/// The result reflects every event accepted before the call: a message that was just sent is found, and one that was just
/// deleted is gone. A lookup costs two short reads of the store and one of the log, which is nearly always empty. The finder
/// has no state and may be used from any thread.
package struct MessageFinder: Sendable {
    private let log: any MessageLog
    private let store: any MessageStore

    /// The number of events per read of the log, and the maximum number of reads. Later events are not searched.
    private static let (slice, slices) = (1000, 20)

    package init(log: any MessageLog, store: any MessageStore) {
        self.log = log
        self.store = store
    }

    /// - Returns: `nil` if the thread has no such message.
    /// - Throws: `StoreError.unavailable` if the log or the store cannot be reached, or if the log has already dropped
    ///   events that are not stored yet and that may hold the message.
    package func find(_ id: MessageID, in thread: ThreadID) async throws(StoreError) -> MessagePlace? {
        // The head is read first: an event above it is in the log, or was stored in the meantime.
        let head = try await store.head(of: thread)?.position
        var finding = try await LogFinding(of: id, in: thread, after: head, log)
        guard let stored = try await store.message(id, in: thread) else {
            if let sent = finding.sent { return sent }
            guard finding.isComplete else {
                throw .unavailable("the log no longer has all events that are not stored yet")
            }
            return nil
        }
        finding.sent = stored
        if finding.isDeleted { finding.sent?.isGone = true }
        return finding.sent
    }

    /// The log's events about a message, above the store's head.
    private struct LogFinding {
        var sent: MessagePlace?
        var isDeleted = false
        /// Whether every event above the head was read.
        var isComplete = false

        init(
            of id: MessageID, in thread: ThreadID, after head: Position?, _ log: any MessageLog
        ) async throws(StoreError) {
            var (seq, isWhole) = (head?.seq ?? 0, true)
            for _ in 0..<MessageFinder.slices {
                let slice = try await MessageFinder.read(thread, after: seq, log)
                // The log lost stored events and continued below them in another epoch, so any of its events may not be stored yet.
                if slice.end < seq, slice.epoch != head?.epoch {
                    seq = 0
                    continue
                }
                // Events are missing below the first slice, or were dropped between two reads.
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
            case .conflict: throw .failed("a read of the log returned a conflict")
            }
        }
    }
}
