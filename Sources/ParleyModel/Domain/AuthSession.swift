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

/// What stands for a secret token wherever others may see it: it finds the token's row and tells nothing of the token.
///
/// Of Parley's own tokens it is the SHA-256, as 64 lower-case hex digits. Of a session of another system it is what that
/// system's verifier can open again, after `foreignPrefix`.
package struct TokenHash: Hashable, Sendable, CustomStringConvertible {
    /// What no hex digits begin with.
    package static let foreignPrefix = "~"

    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// A session of another system, which ends it without telling anybody: it must be asked again now and then.
    package var isForeign: Bool { text.hasPrefix(Self.foreignPrefix) }

    package var description: String { text }
}
