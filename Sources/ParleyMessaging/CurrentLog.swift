package import ParleyModel

/// Reads the log of a thread for whoever was not there: each message with what has become of it since, and each edit with
/// the text that its message has now.
///
/// What has become of a message that the log itself has, stands above it there. What has become of one that the store
/// has, the store says, but for the events that it does not have yet. So a page costs at most one more reading of the
/// log, from the page or from the store's end on; nearly always there is nothing. Stateless, callable from anywhere.
package struct CurrentLog: Sendable {
    private let log: any MessageLog
    private let store: any MessageStore

    /// Events of the log that are read at a time.
    private static let slice = 1000

    package init(log: any MessageLog, store: any MessageStore) {
        self.log = log
        self.store = store
    }

    /// As `MessageLog.events`, but as things are now.
    package func logged(in thread: ThreadID, after: Int64, limit: Int) async throws(AppendError) -> LogSlice {
        var slice = try await log.events(in: thread, after: after, limit: limit)
        guard let last = slice.events.last, slice.events.contains(where: \.hasText) else { return slice }
        var statuses = MessageStatuses(of: slice.events)
        statuses.note(slice.events)
        try await note(thread, slice.epoch, after: last.position.seq, through: slice.end, in: &statuses)
        slice.events = slice.events.map { statuses.present($0) }
        return slice
    }

    /// As `MessageStore.events`, but with what the store does not have yet.
    package func stored(in thread: ThreadID, after: Int64, limit: Int) async throws(StoreError) -> LogPage {
        var page = try await store.events(in: thread, after: after, limit: limit)
        guard let head = page.head?.position, page.events.contains(where: \.hasText) else { return page }
        var statuses = MessageStatuses(of: page.events)
        do throws(AppendError) {
            try await note(thread, nil, after: head.seq, through: .max, storedTo: head, in: &statuses)
        } catch {
            throw .unavailable("the log did not tell what is not stored yet: \(error)")
        }
        page.events = page.events.map { statuses.present($0) }
        return page
    }

    /// - Parameters:
    ///   - epoch: of the events to be noted; `nil`: any.
    ///   - head: the end of what is stored, if that is where this begins.
    /// - Throws: `unavailable` if the log does not go back to `after`: what has become of a message may lie in between.
    private func note(
        _ thread: ThreadID, _ epoch: Epoch?, after: Int64, through end: Int64, storedTo head: Position? = nil,
        in statuses: inout MessageStatuses
    ) async throws(AppendError) {
        var last = after
        while last < end {
            let slice = try await log.events(in: thread, after: last, limit: Self.slice)
            // A log that has begun anew lacks what the old one had, and that does not come back.
            if slice.isTruncated, slice.epoch == epoch ?? head?.epoch {
                throw .unavailable("the store is behind what the log still has; try again")
            }
            guard epoch == nil || slice.epoch == epoch, let newest = slice.events.last?.position.seq else { return }
            statuses.note(slice.events)
            guard newest < slice.end else { return }
            last = newest
        }
    }
}

extension LogEvent {
    /// It is a message or says what one's text is.
    fileprivate var hasText: Bool {
        switch body {
        case .message, .edited: true
        case .deleted, .reaction, .joined, .left, .renamed, .role: false
        }
    }
}
