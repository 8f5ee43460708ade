package import ParleyModel

/// The sockets of a loop, for reports and checks.
extension LoopRoster {
    /// Returns the sessions of other systems that opened sockets on this loop, with their users. Called every few
    /// seconds.
    package func foreignSessions() -> [TokenHash: User] {
        var sessions: [TokenHash: User] = [:]
        for user in users.values {
            for socket in user.sockets {
                if let token = socket.sessionToken, token.isForeign { sessions[token] = user.user }
            }
        }
        return sessions
    }

    /// Calls `body` for each socket of this loop.
    package func forEachSocket(_ body: (any RosterMember) -> Void) {
        for user in users.values { user.sockets.forEach(body) }
    }

    /// The sockets of a user on this loop.
    package func sockets(of id: UserID) -> [(user: User, socket: any RosterMember)] {
        users[id].map { user in user.sockets.map { (user.user, $0) } } ?? []
    }

    /// Returns at most `limit` sockets of a thread's members on this loop, and the total number.
    package func sockets(
        in thread: ThreadID, limit: Int
    ) -> (some: [(user: User, socket: any RosterMember)], count: Int) {
        var (some, count): ([(User, any RosterMember)], Int) = ([], 0)
        for user in threads[thread]?.users ?? [] {
            count += user.sockets.count
            for socket in user.sockets where some.count < limit { some.append((user.user, socket)) }
        }
        return (some, count)
    }
}
