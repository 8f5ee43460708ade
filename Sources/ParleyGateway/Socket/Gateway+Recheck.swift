import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyModel

/// What no event has told of is looked for: all that happened to users while the bus was cut, and the end of sessions
/// that other systems have made.
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

    /// How many sessions of other systems are asked for at the same time: more than a query of theirs takes.
    private static let sessionWidth = 1000

    /// Asks for the sessions of other systems once more, and sends the sockets off whose session is over.
    package func recheckForeignSessions() async {
        var sessions: [TokenHash: User] = [:]
        for (index, loop) in fanOut.loops.enumerated() {
            let found = try? await loop.submit { [fanOut] in fanOut.roster(index).foreignSessions() }.get()
            sessions.merge(found ?? [:]) { $1 }
        }
        await each(Array(sessions), width: Self.sessionWidth) { token, user in
            if await self.isVoid(token, of: user) { self.fanOut.found(.sessionRevoked(token), of: user.id) }
        }
    }

    private func recheck(_ users: [PresentUser]) async {
        await each(users, width: Self.recheckWidth) { await self.recheck($0) }
    }

    private func each<Item: Sendable>(
        _ items: [Item], width: Int, _ body: @escaping @Sendable (Item) async -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for (index, item) in items.enumerated() {
                if index >= width { await group.next() }
                group.addTask { await body(item) }
            }
        }
    }

    private func recheck(_ present: PresentUser) async {
        let user = present.user
        if let memberships = try? await directory.memberships(of: user.id, fresh: true) {
            let (before, now) = (Set(present.memberships.map(\.thread.id)), Set(memberships.map(\.thread.id)))
            for membership in memberships where !before.contains(membership.thread.id) {
                guard let head = try? await log.head(of: membership.thread.id) else { continue }
                fanOut.found(.added(membership, after: head.position.seq), of: user.id)
            }
            // A direct thread is known from its first message on, which the store may not have yet.
            for membership in present.memberships
            where membership.thread.kind != .direct && !now.contains(membership.thread.id) {
                fanOut.found(.removed(membership.thread.id), of: user.id)
            }
        }
        for token in present.sessions {
            // Another system does not know who was erased here.
            var isOver = await isVoid(token, of: user)
            if token.isForeign, !isOver { isOver = await isErased(user) }
            if isOver { fanOut.found(.sessionRevoked(token), of: user.id) }
        }
    }

    /// Whether a session is known to be over, or another's; not if nobody can tell.
    private func isVoid(_ token: TokenHash, of user: User) async -> Bool {
        do {
            return try await !sessions.isAlive(token, of: user)
        } catch {
            return false
        }
    }

    private func isErased(_ user: User) async -> Bool {
        do {
            return try await directory.user(user.id, fresh: true) == nil
        } catch {
            return false
        }
    }
}
