package import ParleyAccounts
package import ParleyModel

/// A thread as a caller sees it.
package enum ThreadView: Sendable {
    case member(ThreadSummary)
    /// The thread without a member's state.
    case backEnd(ThreadInfo, head: Position?)
}

/// Lists of threads, and look-ups of single threads.
extension Messaging {
    /// Returns all threads of the caller, newest activity first, as the classic API lists them.
    package func inbox(of caller: Caller) async throws(MessagingError) -> [InboxEntry] {
        try await read { try await ports.store.inbox(of: caller.user.id) }
    }

    /// Returns the caller's threads, newest activity first.
    package func threads(
        of caller: Caller, after place: ThreadPlace?, limit: Int
    ) async throws(MessagingError) -> ListPage<ThreadSummary> {
        try await threads(of: caller.user, after: place, limit: limit)
    }

    func threads(
        of user: User, after place: ThreadPlace?, limit: Int
    ) async throws(MessagingError) -> ListPage<ThreadSummary> {
        let now = clock.milliseconds
        return try await read {
            let found = try await ports.store.threads(of: user.id, after: place, limit: limit + 1)
            return ListPage(found.map { $0.withoutEndedMute(at: now) }, limit: limit)
        }
    }

    /// Returns rooms that the caller may join, by a prefix of their title.
    package func joinableRooms(
        prefix: String, for caller: Caller, limit: Int
    ) async throws(MessagingError) -> [ThreadInfo] {
        try await read {
            try await ports.accounts.joinableRooms(
                prefix: prefix, for: caller.user.id, at: clock.milliseconds, limit: limit)
        }
    }

    /// - Throws: The same errors as `access`.
    package func thread(_ id: ThreadID, for principal: Principal) async throws(MessagingError) -> ThreadView {
        switch principal {
        case .user(let identity):
            let caller = Caller(identity)
            _ = try await membership(of: caller, in: id)
            return .member(try await thread(id, of: caller))
        case .service:
            let info = try await knownThread(id)
            return .backEnd(info, head: try await read { try await ports.store.head(of: id)?.position })
        }
    }

    /// Returns a thread of the caller.
    /// - Throws: The same errors as `membership`.
    package func thread(_ id: ThreadID, of caller: Caller) async throws(MessagingError) -> ThreadSummary {
        guard let summary = try await read({ try await ports.store.thread(id, of: caller.user.id) }) else {
            // The membership may have ended a moment ago, and the thread may be hidden from the caller since.
            _ = try await membership(of: caller, in: id)
            throw .notAMember
        }
        return summary.withoutEndedMute(at: clock.milliseconds)
    }
}
