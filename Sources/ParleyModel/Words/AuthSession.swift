/// A login that lasts: the row behind a `sessionid` cookie.
package struct AuthSession: Hashable, Sendable {
    /// SHA-256 of the token; the token itself is only with the client.
    package let tokenHash: TokenHash
    package let user: User
    /// Unix milliseconds.
    package let expires: Int64

    package init(tokenHash: TokenHash, user: User, expires: Int64) {
        self.tokenHash = tokenHash
        self.user = user
        self.expires = expires
    }
}

/// The SHA-256 of a secret token, as 64 lower-case hex digits: it finds the token's row and tells nothing of the token.
package struct TokenHash: Hashable, Sendable, CustomStringConvertible {
    package let hex: String

    package init(hex: String) {
        self.hex = hex
    }

    package var description: String { hex }
}
