import ParleyAccounts
package import ParleyModel

extension Messaging {
    /// Opens the direct thread of the caller and a user, who may be the same. If the other user has left the thread, they
    /// become a member again with the next message, not with this call.
    /// - Returns: The thread's id, and whether the thread is new to the caller.
    /// - Throws: `notFound` if one of them is unknown or erased; `forbidden` if one blocks the other, unless the caller is a member; `rateLimited`, `unavailable`.
    package func openDirect(
        with reference: UserReference, by caller: Caller
    ) async throws(MessagingError) -> (thread: ThreadID, isNew: Bool) {
        try await budgets.charge(caller.user.id)
        let user = caller.user
        guard let other = try await commit({ try await self.user(reference) }) else { throw MessagingError.noUser }
        let id = ThreadInfo.directID(user.id, other.id)
        let isBlocked = try await commit { try await ports.accounts.isBlocked(user.id, other.id) }
        if isBlocked, try await commit({ try await ports.directory.membership(of: user.id, in: id) }) == nil {
            throw MessagingError(RightsViolation.blockedDirect)
        }
        let opened = try await commit {
            try await ports.accounts.openDirect(id, of: user.id, with: other.id, at: clock.milliseconds)
        }
        guard let added = opened else { throw MessagingError.noUser }
        let isNew = added.contains(user.id)
        let newcomers = [(user, other)] + (user.id == other.id ? [] : [(other, user)])
        guard !added.isEmpty else { return (id, isNew) }
        // While the log is unavailable, nodes read the membership themselves.
        let head = try? await ports.log.head(of: id)?.position.seq ?? 0
        for (one, peer) in newcomers where added.contains(one.id) {
            let info = ThreadInfo(id: id, kind: .direct, title: peer.name)
            let membership = Membership(thread: info, role: .member, peer: peer)
            notify(head.map { .added(membership, after: $0) } ?? .changed, one.id)
        }
        return (id, isNew)
    }
}
