import Crypto
package import ParleyModel

/// Makes session tokens and their hashes.
///
/// A token is 256 random bits in base64url. It cannot be guessed, so a plain SHA-256 is sufficient for storage.
package enum SessionTokens {
    /// The length of a token, in characters.
    package static let length = 43

    /// A new token, and the hash to store.
    package static func make() -> (token: String, hash: TokenHash) {
        var token = Base64URL.encode(RandomBytes.make(32))
        // One in 262,144 would be taken for an API key.
        while token.hasPrefix(APIKeys.prefix) { token = Base64URL.encode(RandomBytes.make(32)) }
        return (token, hash(of: token))
    }

    /// The hash under which a session is stored.
    package static func hash(of token: String) -> TokenHash {
        TokenHash(Hex.encode(SHA256.hash(data: Array(token.utf8))))
    }

    /// Whether a text has the form of a session token; others need no lookup.
    package static func isToken(_ text: String) -> Bool {
        text.utf8.count == length && Base64URL.decode(text) != nil
    }
}
