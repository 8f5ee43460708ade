import Crypto
package import ParleyModel

/// Makes the codes of links into rooms, and their hashes.
///
/// A code is 128 random bits in base64url. It cannot be guessed, so a plain SHA-256 is sufficient for storage.
package enum LinkCodes {
    /// The length of a code, in characters.
    package static let length = 22

    /// A new code, and the hash to store.
    package static func make() -> (code: String, hash: TokenHash) {
        let code = Base64URL.encode(RandomBytes.make(16))
        return (code, hash(of: code))
    }

    /// Returns the hash under which a link is stored; `nil` for a text that is not a code, which needs no lookup.
    package static func hash(ofCode text: String) -> TokenHash? {
        guard text.utf8.count == length, Base64URL.decode(text)?.count == 16 else { return nil }
        return hash(of: text)
    }

    private static func hash(of code: String) -> TokenHash {
        TokenHash(Hex.encode(SHA256.hash(data: Array(code.utf8))))
    }
}
