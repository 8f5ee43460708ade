/// Resolves the value of a session cookie to a user. Implemented for Parley's own sessions and for Django's.
package protocol SessionVerifier: Sendable {
    /// Returns `nil` if this verifier does not know the cookie, or the session has ended.
    func session(cookie: String) async throws(StoreError) -> VerifiedSession?

    /// Whether the session behind `token` is still valid and belongs to this user, as read after this call. `false` if the
    /// session belongs to another verifier. Never creates a user.
    func isAlive(_ token: TokenHash, of user: User) async throws(StoreError) -> Bool
}

/// A valid session, as of the verifier's last read.
package struct VerifiedSession: Hashable, Sendable {
    package let token: TokenHash
    package let user: User
    /// The expiry in Unix milliseconds; `nil` if it is not known in advance.
    package let expires: Int64?
    /// The suspension of the user, which may have ended.
    package let suspension: Suspension?

    package init(token: TokenHash, user: User, expires: Int64?, suspension: Suspension? = nil) {
        self.token = token
        self.user = user
        self.expires = expires
        self.suspension = suspension
    }
}
