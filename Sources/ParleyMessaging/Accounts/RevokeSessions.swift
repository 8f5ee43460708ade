package import ParleyAccounts
package import ParleyModel

extension StateChanges {
    /// Ends a session at its user's request.
    /// - Parameter token: the value of the cookie.
    /// - Returns: the session's user; `nil` if it is not one of Parley's sessions.
    /// - Throws: `unavailable`.
    package func logOut(_ token: String) async throws(MessagingError) -> UserID? {
        guard SessionTokens.isToken(token) else { return nil }
        let session = SessionTokens.hash(of: token)
        let user = try await commit { try await store.revokeSession(session).value }
        guard let user else { return nil }
        notifySessionsEnded([session], of: user)
        return user
    }

    /// Ends another session of its user, who has found it in their list.
    /// - Throws: `unavailable`.
    package func endSession(_ session: TokenHash, of user: User) async throws(MessagingError) {
        let ended = try await commit { try await store.revokeSession(session).value }
        if ended != nil { notifySessionsEnded([session], of: user.id) }
    }

    /// Ends all sessions of a user at their own request, except the one of the request, if it is one.
    /// - Returns: the number of sessions ended.
    /// - Throws: `unavailable`.
    package func endOtherSessions(of identity: Identity) async throws(MessagingError) -> Int {
        let user = identity.user.id
        let ended = try await commit { try await store.revokeSessions(of: user, keeping: identity.session).value }
        notifySessionsEnded(ended, of: user)
        return ended.count
    }

    /// Ends all sessions, sockets and tickets of a user at an operator's request.
    /// - Returns: the number of sessions ended.
    /// - Throws: `unavailable`.
    package func revokeSessions(of user: User) async throws(MessagingError) -> Int {
        let ended = try await commit { try await store.revokeAll(of: user.id).value }
        notifySessionsEnded(ended, of: user.id)
        notify(.changed, user.id)
        return ended.count
    }
}
