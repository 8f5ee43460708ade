import Crypto
import JWTKit

/// A key that verifies JWTs, by one algorithm only: what a token says of itself never chooses how a key is used.
struct JWTKey: Sendable {
    let kid: String?
    /// Its name is the `alg` it stands for.
    let algorithm: any JWTAlgorithm

    init(kid: String?, algorithm: any JWTAlgorithm) {
        self.kid = kid
        self.algorithm = algorithm
    }

    init(hs256 secret: [UInt8], kid: String?) async throws {
        // HMAC fills a short key up with zeros itself (RFC 2104 §2), so these change nothing; jwt-kit asserts that a
        // key is as long as the hash.
        let filled = secret + Array(repeating: 0, count: max(0, SHA256.byteCount - secret.count))
        let keys = JWTKeyCollection()
        await keys.add(hmac: HMACKey(from: filled), digestAlgorithm: .sha256)
        self.init(kid: kid, algorithm: try await keys.getKey())
    }
}
