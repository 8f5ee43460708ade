import ParleyAccounts
package import ParleyModel

/// Users, whom every caller with credentials may look up, and sessions.
extension Messaging {
    /// Returns the user that a reference refers to.
    /// - Throws: `notFound`.
    package func knownUser(_ reference: UserReference) async throws(MessagingError) -> User {
        guard let user = try await read({ try await self.user(reference) }) else { throw .noUser }
        return user
    }

    /// Returns the user with this id, with their profile.
    /// - Throws: `notFound`.
    package func profile(of id: UserID) async throws(MessagingError) -> (user: User, profile: Profile?) {
        guard let user = try await read({ try await ports.directory.user(id) }) else { throw .noUser }
        return (user, try await profile(of: user))
    }

    /// Returns the display name for a message of a user; `nil` if it equals the username, or cannot be read.
    /// - Parameter fresh: Whether the name is read after this call; otherwise it may be cached.
    func displayName(of user: User, fresh: Bool) async -> String? {
        try? await ports.directory.displayName(of: user, fresh: fresh)
    }

    package func profile(of user: User) async throws(MessagingError) -> Profile? {
        try await read { try await ports.accounts.profiles(of: [user.id])[user.id] }
    }

    /// Returns users whose name begins with `prefix`, in the byte order of their names, with their profiles.
    package func users(
        prefix: String, limit: Int
    ) async throws(MessagingError) -> [(user: User, profile: Profile?)] {
        try await read {
            let users = try await ports.accounts.users(prefix: prefix, limit: limit)
            let profiles = try await ports.accounts.profiles(of: users.map(\.id))
            return users.map { ($0, profiles[$0.id]) }
        }
    }

    // MARK: Sessions

    /// Returns the caller's unexpired sessions, in descending order of expiry.
    package func sessions(
        of caller: Caller, after place: SessionPlace?, limit: Int
    ) async throws(MessagingError) -> ListPage<AuthSession> {
        try await sessions(of: caller.user, after: place, limit: limit)
    }

    /// Returns a user's unexpired sessions, in descending order of expiry.
    package func sessions(
        of user: User, after place: SessionPlace?, limit: Int, for _: Operator
    ) async throws(MessagingError) -> ListPage<AuthSession> {
        try await sessions(of: user, after: place, limit: limit)
    }

    private func sessions(
        of user: User, after place: SessionPlace?, limit: Int
    ) async throws(MessagingError) -> ListPage<AuthSession> {
        try await read {
            let found = try await ports.accounts.sessions(
                of: user, at: clock.milliseconds, after: place, limit: limit + 1)
            return ListPage(found, limit: limit)
        }
    }
}
