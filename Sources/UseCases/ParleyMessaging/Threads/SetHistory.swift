import ParleyAccounts
package import ParleyModel

extension Messaging {
    /// Changes what later members of a room see of the time before they joined. Only the owner may do this. Present members
    /// keep what they see, and no event is written.
    /// - Throws: `notFound`, `notAMember`, `forbidden`, `rateLimited`, `unavailable`.
    package func setHistory(
        _ history: RoomHistory, of thread: ThreadID, by caller: Caller
    ) async throws(MessagingError) {
        try await budgets.charge(caller.user.id)
        try await set(history, of: thread, by: caller.user.id, as: .user(caller.user.id)) { roles in
            try Self.checkChanger(roles, caller.user.id)
        }
    }

    /// Changes what later members of any room see, at an operator's request.
    package func setHistory(
        _ history: RoomHistory, of thread: ThreadID, by requester: Operator
    ) async throws(MessagingError) {
        try await charge(requester)
        try await set(
            history, of: thread, by: requester.author ?? LogEvent.operatorID, as: requester.actor
        ) { roles in
            guard let info = roles.thread else { throw MessagingError.noThread }
            if info.kind == .direct { throw RightsViolation.directThread }
        }
    }

    /// Returns the history for new members of a thread that the caller may read; `nil` for a direct thread, and for a room
    /// that has been deleted since.
    package func history(of thread: ThreadInfo) async throws(MessagingError) -> RoomHistory? {
        guard thread.kind != .direct else { return nil }
        return try await read { try await ports.accounts.history(of: thread.id) }
    }

    private func set(
        _ history: RoomHistory, of thread: ThreadID, by author: UserID, as actor: AuditActor,
        authorize: @escaping Authorization
    ) async throws(MessagingError) {
        let change = try await commit {
            try await ports.state.setHistory(history, of: thread, by: author, as: actor, authorize: authorize)
        }
        guard change.value != nil else { throw .noThread }
    }
}
