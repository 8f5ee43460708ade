import ParleyAccounts
package import ParleyModel

extension StateChanges {
    /// Ends a session, which its user wants.
    /// - Parameter token: as the cookie has it.
    /// - Returns: whose it was; `nil` if it is no session of ours.
    /// - Throws: `unavailable`.
    package func logOut(_ token: String) async throws(MessagingError) -> UserID? {
        guard SessionTokens.isToken(token) else { return nil }
        let session = SessionTokens.hash(of: token)
        let user = try await commit { try await store.revokeSession(session).value }
        guard let user else { return nil }
        tellEnded([session], of: user)
        return user
    }

    /// Ends all sessions, sockets and tickets of a user, as an operator wants.
    /// - Returns: how many sessions were ended.
    /// - Throws: `unavailable`.
    package func revokeSessions(of user: User) async throws(MessagingError) -> Int {
        let ended = try await commit { try await store.revokeAll(of: user.id).value }
        tellEnded(ended, of: user.id)
        tell(.changed, user.id)
        return ended.count
    }
}
