import ParleyAccounts
package import ParleyModel

extension StateChanges {
    /// Deletes a room with its history; only the owner may. Nothing remains except the copies that members already
    /// have; the logs drop it soon after.
    /// - Throws: `notFound`, `notAMember`, `forbidden`, `rateLimited` and `unavailable`.
    package func deleteThread(_ thread: ThreadID, by requester: User) async throws(MessagingError) {
        try await charge(requester.id)
        let change = try await commit {
            try await store.deleteThread(thread, by: requester.id) { roles in try Self.checkChanger(roles) }
        }
        guard let deleted = change.value else { throw Self.noThread }
        directory.forget(thread: deleted.thread)
        for user in deleted.members { notify(.removed(thread), user) }
        _ = await relayedSoon(change.outbox, of: thread)
    }
}
