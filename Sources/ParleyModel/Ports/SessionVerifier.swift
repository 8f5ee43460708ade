/// Knows the user behind the value of a session cookie; Parley's own sessions are one, Django's another.
package protocol SessionVerifier: Sendable {
    /// `nil` if this verifier does not know the cookie, or the session is over.
    func session(cookie: String) async throws(StoreError) -> VerifiedSession?

    /// Whether the session that a cookie has stood for still counts, and is still this user's; read after this call.
    /// `false` if it is not this verifier's. Makes nobody.
    func isAlive(_ token: TokenHash, of user: User) async throws(StoreError) -> Bool
}

/// A session that counts, as far as its verifier knows at this moment.
package struct VerifiedSession: Hashable, Sendable {
    package let token: TokenHash
    package let user: User
    /// Unix milliseconds; `nil`: it has no end that is known beforehand.
    package let expires: Int64?

    package init(token: TokenHash, user: User, expires: Int64?) {
        self.token = token
        self.user = user
        self.expires = expires
    }
}
