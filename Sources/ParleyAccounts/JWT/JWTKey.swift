import Crypto
import JWTKit

/// A key bound to one JWT algorithm: a token never decides how a key is used.
struct JWTKey: Sendable {
    let kid: String?
    /// Its name is the `alg` it is used for.
    let algorithm: any JWTAlgorithm

    init(kid: String?, algorithm: any JWTAlgorithm) {
        self.kid = kid
        self.algorithm = algorithm
    }

    init(hs256 secret: [UInt8], kid: String?) async throws {
        // jwt-kit asserts that a key is as long as the hash. Padding with zeros changes nothing, since HMAC does the
        // same with short keys (RFC 2104 §2).
        let filled = secret + Array(repeating: 0, count: max(0, SHA256.byteCount - secret.count))
        let keys = JWTKeyCollection()
        await keys.add(hmac: HMACKey(from: filled), digestAlgorithm: .sha256)
        self.init(kid: kid, algorithm: try await keys.getKey())
    }
}
