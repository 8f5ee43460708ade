import ParleyAccounts
package import ParleyModel

extension Messaging {
    /// Ends the session of the request. Other credentials are unaffected.
    /// - Throws: `forbidden` if the session belongs to Django; `unavailable`.
    package func logOut(_ caller: Caller) async throws(MessagingError) {
        guard case .session(let session, _)? = caller.identity?.credential else { return }
        // Parley does not write to Django's database, so the session would only appear to have ended.
        guard !session.isForeign else { throw .forbidden("the session belongs to Django; log out there") }
        try await endSession(session, of: caller.user)
    }

    /// Ends one of the caller's sessions, identified by a prefix of its token's hash.
    /// - Throws: `notFound`, `unavailable`.
    package func endSession(hashPrefix prefix: String, by caller: Caller) async throws(MessagingError) {
        try await endSession(session(hashPrefix: prefix, of: caller.user), of: caller.user)
    }

    /// Ends one session of a user at an operator's request. Sockets and tickets of other credentials stay.
    /// - Throws: `notFound`, `unavailable`.
    package func endSession(
        hashPrefix prefix: String, of user: User, by requester: Operator
    ) async throws(MessagingError) {
        try await endSession(session(hashPrefix: prefix, of: user), of: user, by: requester.actor)
    }

    package static let noSession = MessagingError.notFound("no such session")

    private func session(hashPrefix prefix: String, of user: User) async throws(MessagingError) -> TokenHash {
        let found = try await read { try await ports.accounts.session(of: user, hashPrefix: prefix) }
        guard let found, found.expires > clock.milliseconds else { throw Self.noSession }
        return found.tokenHash
    }

    private func endSession(
        _ session: TokenHash, of user: User, by actor: AuditActor? = nil
    ) async throws(MessagingError) {
        let ended = try await commit { try await ports.state.revokeSession(session, by: actor).value }
        if ended != nil { notifySessionsEnded([session], of: user.id) }
    }

    /// Ends all sessions of the caller, except the session of the request, if it has one.
    /// - Throws: `unavailable`.
    package func endOtherSessions(of caller: Caller) async throws(MessagingError) {
        let user = caller.user.id
        let ended = try await commit {
            try await ports.state.revokeSessions(of: user, keeping: caller.identity?.session).value
        }
        notifySessionsEnded(ended, of: user)
    }

    /// Ends all sessions, sockets and tickets of a user at an operator's request.
    /// - Returns: The number of sessions ended.
    /// - Throws: `unavailable`.
    package func revokeSessions(of user: User, by requester: Operator) async throws(MessagingError) -> Int {
        let ended = try await commit { try await ports.state.revokeAll(of: user.id, by: requester.actor).value }
        notifySessionsEnded(ended, of: user.id)
        notify(.changed, user.id)
        return ended.count
    }
}
