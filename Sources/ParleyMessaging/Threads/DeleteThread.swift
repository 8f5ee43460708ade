import ParleyAccounts
package import ParleyModel
import Synchronization

extension StateChanges {
    /// Deletes a room with its history, which is its owner's right. Nothing of it remains but what its members have
    /// already; the logs forget it soon after.
    /// - Throws: `notFound`, `notAMember`, `forbidden` and `unavailable`.
    package func deleteThread(_ thread: ThreadID, by asker: User) async throws(MessagingError) {
        let deleted = Mutex<ThreadInfo?>(nil)
        let change = try await commit {
            try await store.deleteThread(thread, by: asker.id) { roles in
                let membership = try Self.changer(roles)
                deleted.withLock { $0 = membership.thread }
            }
        }
        guard let users = change.value else { throw Self.noThread }
        if let info = deleted.withLock({ $0 }) { directory.forget(thread: info) }
        for user in users { tell(.removed(thread), user) }
        _ = await relayedSoon(change.outbox, of: thread)
    }
}
