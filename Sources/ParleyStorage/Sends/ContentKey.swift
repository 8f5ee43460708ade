import Crypto

/// The key under which a store keeps digests of messages whose text is gone (HMAC-SHA-256, RFC 2104).
///
/// A plain hash of a short text can be guessed by trying texts; so the key is derived from the secret of the nodes and is
/// never in the database.
package struct ContentKey: Sendable {
    private let bytes: [UInt8]

    /// - Parameter secret: `PARLEY_SECRET`; with another one, digests kept before match nothing.
    package init(secret: [UInt8]) {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("parley content digest 1".utf8), using: SymmetricKey(data: secret))
        bytes = Array(code)
    }

    /// 32 bytes.
    package func digest(of content: SendContent) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: content.bytes, using: SymmetricKey(data: bytes)))
    }

    /// The two blocks that HMAC puts before what it hashes, 64 bytes each, for a database that knows SHA-256 only: the
    /// digest is `SHA256(outer + SHA256(inner + content))`.
    package var blocks: (inner: [UInt8], outer: [UInt8]) {
        let padded = bytes + [UInt8](repeating: 0, count: 64 - bytes.count)
        return (padded.map { $0 ^ 0x36 }, padded.map { $0 ^ 0x5c })
    }
}
