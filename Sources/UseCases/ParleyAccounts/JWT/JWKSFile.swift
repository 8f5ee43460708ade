import Crypto
import JWTKit
import ParleyJSON

/// A JWK set (RFC 7517 §5) as identity providers publish it, with keys for other purposes among those for signing.
struct JWKSFile {
    /// Maximum number of keys in a file.
    static let maximumKeys = 100

    /// The members of a key that we read (RFC 7518 §6, RFC 8037 §2).
    struct Key {
        var kty: String?
        var alg: String?
        var kid: String?
        var use: String?
        var crv: String?
        var n: String?
        var e: String?
        var x: String?
        var y: String?
        var k: String?

        init(_ key: JOSEObject) throws(JOSEObject.WrongKind) {
            kty = try key.text("kty")
            alg = try key.text("alg")
            kid = try key.text("kid")
            use = try key.text("use")
            crv = try key.text("crv")
            n = try key.text("n")
            e = try key.text("e")
            x = try key.text("x")
            y = try key.text("y")
            k = try key.text("k")
        }
    }

    var keys: [Key]

    /// - Returns: `nil` for what is no JWK set.
    init?(json: String) {
        guard let elements = JOSEObject(Array(json.utf8))?["keys"]?.elements else { return nil }
        let keys = elements.compactMap { JOSEObject($0).flatMap { try? Key($0) } }
        guard keys.count == elements.count else { return nil }
        self.keys = keys
    }

    /// The keys that verify one of the supported algorithms; others are ignored.
    /// - Throws: `SettingError` if the text is not a JWKS, has no usable key, or has a broken one.
    static func signingKeys(json: String) async throws(SettingError) -> [JWTKey] {
        guard let file = JWKSFile(json: json) else {
            throw invalid("is not a JWKS; expected JSON like {\"keys\":[{\"kty\":…}]}")
        }
        guard file.keys.count <= maximumKeys else {
            throw invalid("has \(file.keys.count) keys; expected at most \(maximumKeys)")
        }
        var found: [JWTKey] = []
        for (index, key) in file.keys.enumerated() where key.use == nil || key.use == "sig" {
            do {
                if let key = try await key.signingKey() { found.append(key) }
            } catch {
                throw invalid(
                    "key \(index + 1) (kid \(key.kid ?? "absent"), kty \(key.kty ?? "absent")) cannot be read")
            }
        }
        guard !found.isEmpty else {
            throw invalid("has no key for RS256 (RSA of 2048 bits or more), ES256 (P-256), EdDSA (Ed25519) or HS256")
        }
        return found
    }

    /// The public keys of a set that another party publishes, and may extend at any time: keys that cannot be read are
    /// ignored, and so are symmetric ones, which must never be published.
    static func publishedKeys(json: [UInt8]) async -> [JWTKey]? {
        guard let file = JWKSFile(json: String(decoding: json, as: UTF8.self)), file.keys.count <= maximumKeys else {
            return nil
        }
        var found: [JWTKey] = []
        for key in file.keys where key.kty != "oct" && (key.use == nil || key.use == "sig") {
            if let key = try? await key.signingKey() { found.append(key) }
        }
        return found
    }

    private static func invalid(_ explanation: String) -> SettingError {
        SettingError(setting: "PARLEY_JWT_JWKS_FILE", explanation: explanation)
    }
}

extension JWKSFile.Key {
    private struct Broken: Error {}

    /// `nil` for a key of another algorithm.
    fileprivate func signingKey() async throws -> JWTKey? {
        let keys = JWTKeyCollection()
        switch (kty, crv, alg) {
        case ("RSA", _, nil), ("RSA", _, "RS256"):
            await keys.add(
                rsa: try Insecure.RSA.PublicKey(modulus: required(n), exponent: required(e)), digestAlgorithm: .sha256)
        case ("EC", "P-256", nil), ("EC", "P-256", "ES256"):
            await keys.add(ecdsa: try ES256PublicKey(parameters: (required(x), required(y))))
        case ("OKP", "Ed25519", nil), ("OKP", "Ed25519", "EdDSA"), ("OKP", "Ed25519", "Ed25519"):
            await keys.add(eddsa: try EdDSA.PublicKey(x: required(x), curve: .ed25519))
        case ("oct", _, nil), ("oct", _, "HS256"):
            guard let secret = try Base64URL.decode(required(k)), !secret.isEmpty else { throw Broken() }
            return try await JWTKey(hs256: secret, kid: kid)
        default:
            return nil
        }
        return JWTKey(kid: kid, algorithm: try await keys.getKey())
    }

    private func required(_ member: String?) throws -> String {
        guard let member, !member.isEmpty else { throw Broken() }
        return member
    }
}

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
