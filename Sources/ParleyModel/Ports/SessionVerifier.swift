/// Knows the user behind the value of a session cookie; Parley's own sessions are one, Django's another.
package protocol SessionVerifier: Sendable {
    /// `nil` if this verifier does not know the cookie, or the session is over.
    func session(cookie: String) async throws(StoreError) -> VerifiedSession?

    /// The session that a cookie has stood for, read after this call; `nil` if it is over by now, or not this verifier's.
    func session(_ token: TokenHash) async throws(StoreError) -> VerifiedSession?
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
