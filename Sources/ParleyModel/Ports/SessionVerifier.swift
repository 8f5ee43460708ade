/// Knows the user behind the value of a session cookie; Parley's own sessions are one, Django's another.
package protocol SessionVerifier: Sendable {
    /// `nil` if this verifier does not know the cookie, or the session is over.
    func session(cookie: String) async throws(StoreError) -> AuthSession?
}
