import ParleyAccounts
package import ParleyModel

extension Messaging {
    /// Deletes a room with its history. Only the owner may do this. Nothing remains except the copies that members already
    /// have. The logs drop the thread soon after.
    /// - Throws: `notFound`, `notAMember`, `forbidden`, `rateLimited` and `unavailable`.
    package func deleteThread(_ thread: ThreadID, by caller: Caller) async throws(MessagingError) {
        try await budgets.charge(caller.user.id)
        try await delete(thread, by: caller.user.id, as: .user(caller.user.id)) { roles in
            try Self.checkChanger(roles, caller.user.id)
        }
    }

    /// Deletes any room with its history, at an operator's request.
    /// - Throws: `notFound`, `forbidden` for a direct thread, `rateLimited` and `unavailable`.
    package func deleteThread(_ thread: ThreadID, by requester: Operator) async throws(MessagingError) {
        try await charge(requester)
        try await delete(thread, by: requester.author ?? LogEvent.operatorID, as: requester.actor) { roles in
            guard let info = roles.thread else { throw MessagingError.noThread }
            if info.kind == .direct { throw RightsViolation.directThread }
        }
    }

    private func delete(
        _ thread: ThreadID, by requester: UserID, as actor: AuditActor, authorize: @escaping Authorization
    ) async throws(MessagingError) {
        let change = try await commit {
            try await ports.state.deleteThread(thread, by: requester, as: actor, authorize: authorize)
        }
        guard let deleted = change.value else { throw MessagingError.noThread }
        ports.directory.forget(thread: deleted.thread)
        for user in deleted.members { notify(.removed(thread), user) }
        _ = await relayedSoon(change.outbox, of: thread)
    }
}
