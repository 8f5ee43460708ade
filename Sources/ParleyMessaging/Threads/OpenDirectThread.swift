import ParleyAccounts
package import ParleyModel

extension StateChanges {
    /// Opens the direct thread of two users, who may be the same.
    /// - Returns: its id, and whether it is new to `user`.
    /// - Throws: `notFound` if one of them is unknown or erased; `rateLimited`, `unavailable`.
    package func openDirect(
        _ user: User, with reference: UserReference
    ) async throws(MessagingError) -> (thread: ThreadID, isNew: Bool) {
        try await charge(user.id)
        guard let other = try await self.user(reference) else { throw Self.noUser }
        let id = ThreadInfo.directID(user.id, other.id)
        let (wasIn, opened) = try await commit {
            let wasIn = try await directory.memberships(of: other.id).contains { $0.thread.id == id }
            return (
                wasIn, try await accounts.openDirect(id, of: user.id, with: other.id, at: clock.milliseconds)
            )
        }
        guard let isNew = opened else { throw Self.noUser }
        let newcomers = (isNew ? [(user, other)] : []) + (!wasIn && user.id != other.id ? [(other, user)] : [])
        guard !newcomers.isEmpty else { return (id, isNew) }
        // While the log is unavailable, nodes read the membership themselves.
        let head: Int64?
        do {
            head = try await relay?.log.head(of: id)?.position.seq ?? 0
        } catch {
            head = nil
        }
        for (one, peer) in newcomers {
            let info = ThreadInfo(id: id, kind: .direct, title: peer.name)
            let membership = Membership(thread: info, role: .member, peer: peer)
            notify(head.map { .added(membership, after: $0) } ?? .changed, one.id)
        }
        return (id, isNew)
    }
}
