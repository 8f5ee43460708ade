import ParleyAccounts
import ParleyModel

extension Messaging {
    /// The maximum number of threads relayed before the call returns. Persisters relay the others.
    private static let threadsRelayedAtOnce = 16

    /// Erases the caller permanently. All sessions become invalid and all sockets close before this returns or soon after. The
    /// user's rooms get `left` events.
    /// - Throws: `unavailable`. A repeated call continues the erasure.
    package func erase(_ caller: Caller) async throws(MessagingError) {
        let user = caller.user
        let change = try await commit { try await ports.state.eraseUser(user.id, at: clock.milliseconds) }
        guard change.value else { return }
        ports.directory.forget(user: user)
        notify(.erased, user.id)
        let threads = Dictionary(grouping: change.outbox, by: \.thread)
        await withTaskGroup(of: Void.self) { group in
            for (thread, entries) in threads.prefix(Self.threadsRelayedAtOnce) {
                group.addTask { _ = await self.relayedSoon(entries, of: thread) }
            }
        }
    }
}
