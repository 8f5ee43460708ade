import ParleyAccounts
package import ParleyModel

extension StateChanges {
    /// Deletes a room with its history, which is its owner's right. Nothing of it remains but what its members have
    /// already; the logs forget it soon after.
    /// - Throws: `notFound`, `notAMember`, `forbidden`, `rateLimited` and `unavailable`.
    package func deleteThread(_ thread: ThreadID, by requester: User) async throws(MessagingError) {
        try await charge(requester.id)
        let change = try await commit {
            try await store.deleteThread(thread, by: requester.id) { roles in try Self.checkChanger(roles) }
        }
        guard let deleted = change.value else { throw Self.noThread }
        directory.forget(thread: deleted.thread)
        for user in deleted.members { tell(.removed(thread), user) }
        _ = await relayedSoon(change.outbox, of: thread)
    }
}
