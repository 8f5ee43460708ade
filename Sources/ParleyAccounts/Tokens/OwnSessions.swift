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

    package func session(_ token: TokenHash) async throws(StoreError) -> VerifiedSession? {
        guard !token.isForeign else { return nil }
        return verified(try await directory.session(token, fresh: true))
    }

    private func verified(_ session: AuthSession?) -> VerifiedSession? {
        guard let session, session.expires > clock.milliseconds else { return nil }
        return VerifiedSession(token: session.tokenHash, user: session.user, expires: session.expires)
    }
}
