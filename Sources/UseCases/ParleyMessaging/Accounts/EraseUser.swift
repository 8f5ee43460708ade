import ParleyAccounts
package import ParleyModel

extension Messaging {
    /// The maximum number of threads relayed before the call returns. Persisters relay the others.
    private static let threadsRelayedAtOnce = 16

    /// Erases the caller permanently. All sessions become invalid and all sockets close before this returns or soon after. The
    /// user's rooms get `left` events.
    /// - Throws: `unavailable`. A repeated call continues the erasure.
    package func erase(_ caller: Caller) async throws(MessagingError) {
        _ = try await erase(caller.user, as: .user(caller.user.id))
    }

    /// Erases a user permanently at an operator's request, as `erase` for a caller.
    /// - Throws: `notFound` for an unknown user; `forbidden` for the operator's own account; `rateLimited`; `unavailable`.
    package func erase(_ user: User, by requester: Operator) async throws(MessagingError) {
        // The audit log would name an actor who does not exist.
        guard requester.author != user.id else {
            throw .forbidden("operators cannot erase themselves here; a user does so with DELETE /v1/me")
        }
        try await charge(requester)
        guard try await erase(user, as: requester.actor) else { throw MessagingError.noUser }
    }

    /// - Returns: Whether the user exists.
    private func erase(_ user: User, as actor: AuditActor) async throws(MessagingError) -> Bool {
        let change = try await commit {
            try await ports.state.eraseUser(user.id, at: clock.milliseconds, by: actor)
        }
        guard change.value else { return false }
        ports.directory.forget(user: user)
        notify(.erased, user.id)
        let threads = Dictionary(grouping: change.outbox, by: \.thread)
        await withTaskGroup(of: Void.self) { group in
            for (thread, entries) in threads.prefix(Self.threadsRelayedAtOnce) {
                group.addTask { _ = await self.relayedSoon(entries, of: thread) }
            }
        }
        return true
    }
}
