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

    /// Asks for the sessions of other systems once more, and sends the sockets off whose session is over.
    package func recheckForeignSessions() async {
        for (index, loop) in fanOut.loops.enumerated() {
            let users = try? await loop.submit { [fanOut] in
                fanOut.roster(index).presentUsers().filter { $0.sessions.contains(where: \.isForeign) }
            }.get()
            await each(users ?? []) { user in
                await self.recheck(user.sessions.filter(\.isForeign), of: user)
            }
        }
    }

    private func recheck(_ users: [PresentUser]) async {
        await each(users) { await self.recheck($0) }
    }

    private func each(_ users: [PresentUser], _ body: @escaping @Sendable (PresentUser) async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for (index, user) in users.enumerated() {
                if index >= Self.recheckWidth { await group.next() }
                group.addTask { await body(user) }
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
        await recheck(user.sessions, of: user)
    }

    private func recheck(_ sessions: Set<TokenHash>, of user: PresentUser) async {
        for token in sessions where await isVoid(token) {
            fanOut.found(.sessionRevoked(token), of: user.id)
        }
    }

    /// Whether a session is known to be over; not if the store cannot tell.
    private func isVoid(_ token: TokenHash) async -> Bool {
        do {
            return try await sessions.session(token) == nil
        } catch {
            return false
        }
    }
}
