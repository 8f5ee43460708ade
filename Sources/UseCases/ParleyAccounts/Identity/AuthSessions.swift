package import ParleyModel

/// All accepted kinds of session. The first verifier that knows a session decides.
package struct AuthSessions: SessionVerifier {
    private let verifiers: [any SessionVerifier]

    package init(_ verifiers: [any SessionVerifier]) {
        self.verifiers = verifiers
    }

    package func session(cookie: String) async throws(StoreError) -> VerifiedSession? {
        for verifier in verifiers {
            if let session = try await verifier.session(cookie: cookie) { return session }
        }
        return nil
    }

    package func isAlive(_ token: TokenHash, of user: User) async throws(StoreError) -> Bool {
        for verifier in verifiers where try await verifier.isAlive(token, of: user) { return true }
        return false
    }
}
