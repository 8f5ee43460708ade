import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyModel

/// The bus has been cut: what happened to users meanwhile is read from the store.
extension Gateway {
    /// How many users are looked at at the same time; the directory makes few queries of them.
    private static let recheckWidth = 256

    /// Goes through the users of all loops.
    func recheckUsers() {
        for (index, loop) in fanOut.loops.enumerated() {
            loop.execute { [self] in
                let users = fanOut.roster(index).presentUsers()
                // Without room for the work the next socket of each user sees it right.
                _ = work.submit { await self.recheck(users) }
            }
        }
    }

    private func recheck(_ users: [PresentUser]) async {
        await withTaskGroup(of: Void.self) { group in
            for (index, user) in users.enumerated() {
                if index >= Self.recheckWidth { await group.next() }
                group.addTask { await self.recheck(user) }
            }
        }
    }

    private func recheck(_ user: PresentUser) async {
        if let memberships = try? await directory.memberships(of: user.id, fresh: true) {
            let (before, now) = (Set(user.memberships.map(\.thread.id)), Set(memberships.map(\.thread.id)))
            for membership in memberships where !before.contains(membership.thread.id) {
                guard let head = try? await log.head(of: membership.thread.id) else { continue }
                fanOut.found(.added(membership, after: head.position.seq), of: user.id)
            }
            // A direct thread is known from its first message on, which the store may not have yet.
            for membership in user.memberships
            where membership.thread.kind != .direct && !now.contains(membership.thread.id) {
                fanOut.found(.removed(membership.thread.id), of: user.id)
            }
        }
        for token in user.sessions where await isVoid(token) {
            fanOut.found(.sessionRevoked(token), of: user.id)
        }
    }

    /// Whether a session is known to be over; not if the store cannot tell.
    private func isVoid(_ token: TokenHash) async -> Bool {
        do {
            return try await directory.session(token, fresh: true) == nil
        } catch {
            return false
        }
    }
}
