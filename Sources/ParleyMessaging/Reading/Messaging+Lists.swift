import ParleyAccounts
package import ParleyModel

/// A thread as a caller sees it.
package enum ThreadView: Sendable {
    case member(ThreadSummary)
    /// Without a member's own state.
    case backEnd(ThreadInfo, head: Position?)
}

/// Lists of threads, and single ones.
extension Messaging {
    /// All threads of a user, newest activity first, as the classic API lists them.
    package func inbox(of user: User) async throws(MessagingError) -> [InboxEntry] {
        try await read { try await ports.store.inbox(of: user.id) }
    }

    /// The user's threads, newest activity first.
    package func threads(
        of user: User, after place: ThreadPlace?, limit: Int
    ) async throws(MessagingError) -> ListPage<ThreadSummary> {
        try await read {
            ListPage(try await ports.store.threads(of: user.id, after: place, limit: limit + 1), limit: limit)
        }
    }

    /// Rooms that the user may join, by the beginning of their title.
    package func joinableRooms(
        prefix: String, for user: User, limit: Int
    ) async throws(MessagingError) -> [ThreadInfo] {
        try await read { try await ports.accounts.joinableRooms(prefix: prefix, for: user.id, limit: limit) }
    }

    /// - Throws: as `access`.
    package func thread(_ id: ThreadID, for caller: Caller) async throws(MessagingError) -> ThreadView {
        guard let user = caller.user else {
            let info = try await knownThread(id)
            return .backEnd(info, head: try await read { try await ports.store.head(of: id)?.position })
        }
        _ = try await membership(of: user, in: id)
        return .member(try await thread(id, of: user))
    }

    /// A thread from its member's view.
    /// - Throws: `notAMember`.
    package func thread(_ id: ThreadID, of user: User) async throws(MessagingError) -> ThreadSummary {
        guard let summary = try await read({ try await ports.store.thread(id, of: user.id) }) else {
            throw .notAMember
        }
        return summary
    }
}
