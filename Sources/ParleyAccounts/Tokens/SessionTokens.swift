import Crypto
package import ParleyModel

/// Makes session tokens and their hashes.
///
/// A token is 256 random bits in base64url: too many to guess, so a plain SHA-256 is enough to store it by.
package enum SessionTokens {
    /// The length of a token, in characters.
    package static let length = 43

    /// A new token, and what is stored of it.
    package static func make() -> (token: String, hash: TokenHash) {
        let token = Base64URL.encode(RandomBytes.make(32))
        return (token, hash(of: token))
    }

    package static func hash(of token: String) -> TokenHash {
        TokenHash(Hex.encode(SHA256.hash(data: Array(token.utf8))))
    }

    /// Whether a text could be one of ours; what could not need not be looked up.
    package static func isToken(_ text: String) -> Bool {
        text.utf8.count == length && Base64URL.decode(text) != nil
    }
}
