import ParleyAccounts
package import ParleyModel

/// Pages for members whose log begins with their joining (`HistoryStart`): they are answered as if nothing preceded it.
extension Messaging {
    /// Returns a page of messages by seq or date.
    package func history(
        _ query: HistoryQuery, in thread: ReadableThread
    ) async throws(MessagingError) -> HistoryPage {
        let first = thread.firstSeq
        guard first > 1 else { return try await read { try await ports.store.history(in: thread.id, query) } }
        let place = query.place.moved(to: first)
        var page = try await read {
            try await ports.store.history(in: thread.id, HistoryQuery(place, limit: query.limit))
        }
        page.messages.removeAll { $0.position.seq < first }
        let earliest = try await firstMessage(of: thread)
        if let oldest = page.messages.first {
            page.hasMoreBefore = earliest.map { $0 < oldest.position.seq } ?? false
        } else {
            // All visible messages are on the side opposite to the requested direction.
            let isAbove = place.isUpperBound
            page.hasMoreBefore = earliest != nil && !isAbove
            page.hasMoreAfter = earliest != nil && isAbove
        }
        return page
    }

    /// Returns the seq of the first message that the caller sees; `nil` if there is none.
    private func firstMessage(of thread: ReadableThread) async throws(MessagingError) -> Int64? {
        let query = HistoryQuery(.after(thread.firstSeq - 1), limit: 1)
        return try await read { try await ports.store.history(in: thread.id, query) }.messages.first?.position.seq
    }

    /// Returns a page of the whole log.
    package func events(
        after seq: Int64, limit: Int, in thread: ReadableThread
    ) async throws(MessagingError) -> LogPage {
        let first = thread.firstSeq
        var page = try await read {
            try await ports.store.events(in: thread.id, after: max(seq, first - 1), limit: limit)
        }
        if first > 1 { page.events = page.events.compactMap { $0.shown(from: first) } }
        return page
    }

    /// Returns a page of the classic API.
    package func messages(
        _ query: MessageQuery, in thread: ReadableThread
    ) async throws(MessagingError) -> MessagePage {
        let first = thread.firstSeq
        guard first > 1 else { return try await read { try await ports.store.messages(in: thread.id, query) } }
        var query = query
        let isAscending = query.after != nil || query.afterSeq != nil
        if isAscending { query.afterSeq = max(query.afterSeq ?? 0, first - 1) }
        let bounded = query
        var page = try await read { try await ports.store.messages(in: thread.id, bounded) }
        page.messages.removeAll { $0.position.seq < first }
        guard !isAscending, !page.isEnd else { return page }
        let earliest = try await firstMessage(of: thread)
        page.isEnd = page.messages.last.map { last in earliest.map { $0 >= last.position.seq } ?? true } ?? true
        return page
    }

    /// Returns the seq of the first event that a user sees of a thread whose messages were sent to them.
    /// - Throws: `unavailable` while it is unknown, since a message may be visible that is not stored yet.
    func firstSeq(in thread: ThreadID, of user: UserID) async throws(StoreError) -> Int64 {
        guard let membership = try await ports.directory.membership(of: user, in: thread) else {
            // The first message of a direct thread makes its recipient a member when it is stored.
            return ThreadInfo.isDirect(thread) ? 1 : .max
        }
        guard membership.start?.isKnown ?? true else { throw .unavailable("the joining is not stored yet") }
        return membership.firstSeq
    }
}

extension HistoryQuery.Place {
    /// Returns the place in a log that begins at a seq.
    fileprivate func moved(to first: Int64) -> Self {
        switch self {
        case .newest, .before, .at: self
        case .after(let seq): .after(max(seq, first - 1))
        case .around(let seq): .around(max(seq, first))
        }
    }

    /// Whether everything else is above an empty page.
    fileprivate var isUpperBound: Bool {
        switch self {
        case .before, .at: true
        case .newest, .after, .around: false
        }
    }
}
