package import ParleyModel

/// Parley's own sessions.
package struct OwnSessions: SessionVerifier {
    private let directory: BatchedDirectory
    private let clock: WallClock

    package init(directory: BatchedDirectory, clock: WallClock = .system) {
        self.directory = directory
        self.clock = clock
    }

    package func session(cookie: String) async throws(StoreError) -> AuthSession? {
        guard SessionTokens.isToken(cookie) else { return nil }
        let session = try await directory.session(SessionTokens.hash(of: cookie))
        guard let session, session.expires > clock.milliseconds else { return nil }
        return session
    }
}
