import ParleyAccounts
import ParleyModel

extension Messaging {
    /// Maximum number of threads relayed before the call returns; persisters relay the rest.
    private static let threadsRelayedAtOnce = 16

    /// Erases the caller permanently. All sessions are invalid and all sockets closed when this returns or soon after; the
    /// user's rooms get `left` events.
    /// - Throws: `unavailable`; a repeated call continues.
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
