import Crypto

/// The HMAC-SHA-256 key (RFC 2104) for digests of messages whose text was removed.
///
/// A plain hash of a short text can be guessed by trial, so the key is derived from the nodes' secret and never stored
/// in the database.
package struct ContentKey: Sendable {
    private let bytes: [UInt8]

    /// Derives the key from a secret.
    /// - Parameter secret: `PARLEY_SECRET`. Digests made with another secret match nothing.
    package init(secret: [UInt8]) {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("parley content digest 1".utf8), using: SymmetricKey(data: secret))
        bytes = Array(code)
    }

    /// The digest of a message's content: 32 bytes.
    package func digest(of content: SendContent) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: content.bytes, using: SymmetricKey(data: bytes)))
    }

    /// The inner and outer HMAC pad blocks, 64 bytes each, for a database that only offers SHA-256. The digest is
    /// `SHA256(outer + SHA256(inner + content))`.
    package var blocks: (inner: [UInt8], outer: [UInt8]) {
        let padded = bytes + [UInt8](repeating: 0, count: 64 - bytes.count)
        return (padded.map { $0 ^ 0x36 }, padded.map { $0 ^ 0x5c })
    }
}
