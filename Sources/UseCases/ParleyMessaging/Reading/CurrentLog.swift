package import ParleyModel

/// Reads a thread's log in its current state: messages with later edits, deletions and reactions applied, and edits with the
/// current text of their message.
///
/// The log itself contains the changes of a message that it holds, above that message. A message from the store includes its
/// changes, except for events that are not stored yet. A page therefore costs at most one more read of the log, from the end of
/// the page or of the stored log, and that read is nearly always empty. Has no state, and may be used from any thread.
package struct CurrentLog: Sendable {
    private let log: any MessageLog
    private let store: any MessageStore

    /// The number of events per read of the log.
    private static let slice = 1000

    package init(log: any MessageLog, store: any MessageStore) {
        self.log = log
        self.store = store
    }

    /// Returns the events of `MessageLog.events` in their current state.
    package func logged(in thread: ThreadID, after: Int64, limit: Int) async throws(AppendError) -> LogSlice {
        var slice = try await log.events(in: thread, after: after, limit: limit)
        guard let last = slice.events.last, slice.events.contains(where: \.hasText) else { return slice }
        var statuses = MessageStatuses(of: slice.events)
        statuses.note(slice.events)
        try await note(thread, slice.epoch, after: last.position.seq, through: slice.end, in: &statuses)
        slice.events = slice.events.map { statuses.present($0) }
        return slice
    }

    /// Returns the events of `MessageStore.events`, with the changes that are not stored yet.
    package func stored(in thread: ThreadID, after: Int64, limit: Int) async throws(StoreError) -> LogPage {
        var page = try await store.events(in: thread, after: after, limit: limit)
        guard let head = page.head?.position, page.events.contains(where: \.hasText) else { return page }
        var statuses = MessageStatuses(of: page.events)
        do throws(AppendError) {
            try await note(thread, nil, after: head.seq, through: .max, storedTo: head, in: &statuses)
        } catch {
            throw .unavailable("the events that are not stored yet could not be read: \(error)")
        }
        page.events = page.events.map { statuses.present($0) }
        return page
    }

    /// Applies the events above `after`.
    /// - Parameters:
    ///   - epoch: The epoch of the events to apply; `nil` for any.
    ///   - head: The end of the stored log, if `after` is that end.
    /// - Throws: `unavailable` if the log does not reach back to `after`, since there may be changes in between.
    private func note(
        _ thread: ThreadID, _ epoch: Epoch?, after: Int64, through end: Int64, storedTo head: Position? = nil,
        in statuses: inout MessageStatuses
    ) async throws(AppendError) {
        var last = after
        while last < end {
            let slice = try await log.events(in: thread, after: last, limit: Self.slice)
            // After a restart the log lacks the events of the old one, which do not return.
            if slice.isTruncated, slice.epoch == epoch ?? head?.epoch {
                throw .unavailable("the log no longer has all events that are not stored yet; try again")
            }
            guard epoch == nil || slice.epoch == epoch, let newest = slice.events.last?.position.seq else { return }
            statuses.note(slice.events)
            guard newest < slice.end else { return }
            last = newest
        }
    }
}

extension LogEvent {
    /// Whether the event is a message or an edit.
    fileprivate var hasText: Bool {
        switch body {
        case .message, .edited: true
        case .deleted, .reaction, .joined, .left, .renamed, .role, .visibility: false
        }
    }
}
