/// A persistent login: the row behind a `sessionid` cookie.
package struct AuthSession: Hashable, Sendable {
    /// SHA-256 of the token; only the client has the token itself.
    package let tokenHash: TokenHash
    package let user: User
    /// The expiry time in Unix milliseconds.
    package let expires: Int64
    /// The suspension of the user, which may have ended.
    package let suspension: Suspension?

    package init(tokenHash: TokenHash, user: User, expires: Int64, suspension: Suspension? = nil) {
        self.tokenHash = tokenHash
        self.user = user
        self.expires = expires
        self.suspension = suspension
    }

    /// The number of digits of the hash in an id, enough to distinguish the sessions of a user.
    private static let idDigits = 16

    /// The id of the session for its user and for operators: the beginning of its token's hash.
    package var publicID: String { String(tokenHash.text.prefix(Self.idDigits)) }

    /// Whether a text has the form of `publicID`.
    package static func isPublicID(_ text: String) -> Bool {
        text.utf8.count == idDigits
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

/// A public stand-in for a secret token. It identifies the token's row and reveals nothing about the token.
///
/// For Parley's own tokens it is the SHA-256 as 64 lower-case hex digits. For a session of another system it is
/// `foreignPrefix`, followed by a value that only that system's verifier can decrypt.
package struct TokenHash: Hashable, Sendable, CustomStringConvertible {
    /// A prefix that does not occur in hex digits.
    package static let foreignPrefix = "~"

    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Whether the session belongs to another system. That system may end the session without notice, so it must be re-checked
    /// periodically.
    package var isForeign: Bool { text.hasPrefix(Self.foreignPrefix) }

    package var description: String { text }
}
