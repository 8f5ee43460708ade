import ParleyAccounts
package import ParleyModel

extension Messaging {
    /// Deletes a room with its history. Only the owner may do this. Nothing remains except the copies that members already
    /// have. The logs drop the thread soon after.
    /// - Throws: `notFound`, `notAMember`, `forbidden`, `rateLimited` and `unavailable`.
    package func deleteThread(_ thread: ThreadID, by caller: Caller) async throws(MessagingError) {
        try await budgets.charge(caller.user.id)
        let change = try await commit {
            try await ports.state.deleteThread(thread, by: caller.user.id) { roles in
                try Self.checkChanger(roles, caller.user.id)
            }
        }
        guard let deleted = change.value else { throw MessagingError.noThread }
        ports.directory.forget(thread: deleted.thread)
        for user in deleted.members { notify(.removed(thread), user) }
        _ = await relayedSoon(change.outbox, of: thread)
    }
}
