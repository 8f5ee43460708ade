import ParleyAccounts
package import ParleyModel

extension StateChanges {
    /// The most threads that are told before the answer; persisters tell the others.
    private static let threadsToldAtOnce = 16

    /// Erases a user for good. All sessions are void and all sockets closed when this returns or soon after; the rooms
    /// are told that they have left.
    /// - Throws: `unavailable`; called again, it goes on.
    package func erase(_ user: User) async throws(MessagingError) {
        let change = try await commit { try await store.eraseUser(user.id, at: clock.milliseconds) }
        guard change.value else { return }
        directory.forget(user: user)
        tell(.erased, user.id)
        let threads = Dictionary(grouping: change.outbox, by: \.thread)
        await withTaskGroup(of: Void.self) { group in
            for (thread, entries) in threads.prefix(Self.threadsToldAtOnce) {
                group.addTask { _ = await relayedSoon(entries, of: thread) }
            }
        }
    }
}
