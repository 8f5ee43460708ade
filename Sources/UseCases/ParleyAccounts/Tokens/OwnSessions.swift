package import ParleyModel

/// Parley's own sessions.
package struct OwnSessions: SessionVerifier {
    private let directory: BatchedDirectory
    private let clock: WallClock

    package init(directory: BatchedDirectory, clock: WallClock = .system) {
        self.directory = directory
        self.clock = clock
    }

    package func session(cookie: String) async throws(StoreError) -> VerifiedSession? {
        guard SessionTokens.isToken(cookie) else { return nil }
        return verified(try await directory.session(SessionTokens.hash(of: cookie)))
    }

    package func isAlive(_ token: TokenHash, of user: User) async throws(StoreError) -> Bool {
        guard !token.isForeign else { return false }
        return verified(try await directory.session(token, fresh: true))?.user.id == user.id
    }

    private func verified(_ session: AuthSession?) -> VerifiedSession? {
        guard let session, session.expires > clock.milliseconds else { return nil }
        return VerifiedSession(
            token: session.tokenHash, user: session.user, expires: session.expires, suspension: session.suspension)
    }
}
