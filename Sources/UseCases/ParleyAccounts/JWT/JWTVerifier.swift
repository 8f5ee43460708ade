import Crypto
import JWTKit
package import Logging
import ParleyModel

/// Verifies the signature and the claims of a JWT (RFC 7519, RFC 7515).
package struct JWTVerifier: Sendable {
    /// Maximum token length, in bytes.
    package static let maximumBytes = 16_384
    /// Maximum length of `sub`, in bytes.
    package static let maximumSubjectBytes = 1024

    private static let algorithms: Set = ["HS256", "RS256", "ES256", "EdDSA"]

    private let keys: [JWTKey]
    private let issuer: String?
    private let audience: String?
    private let operatorClaim: OperatorClaim?
    /// Milliseconds.
    private let leeway: Int64

    /// - Throws: `SettingError` if a key is missing or broken.
    package init(settings: JWTSettings, logger: Logger) async throws(SettingError) {
        var keys: [JWTKey] = []
        if let secret = settings.hs256Key {
            let name = "PARLEY_JWT_HS256_KEY"
            if secret.bytes.count < SHA256.byteCount {
                logger.warning(
                    "short JWT key",
                    metadata: ["setting": "\(name)", "bytes": "\(secret.bytes.count)", "advised": "32 or more"])
            }
            guard !secret.bytes.isEmpty, let key = try? await JWTKey(hs256: secret.bytes, kid: nil) else {
                throw SettingError(setting: name, explanation: "is empty; expected a text, or base64: and base64")
            }
            keys.append(key)
        }
        if let jwks = settings.jwks { keys += try await JWKSFile.signingKeys(json: jwks) }
        guard !keys.isEmpty else {
            throw SettingError(
                setting: "PARLEY_JWT_HS256_KEY", explanation: "is not set, nor is PARLEY_JWT_JWKS_FILE; one is required"
            )
        }
        self.keys = keys
        issuer = settings.issuer
        audience = settings.audience
        operatorClaim = settings.operatorClaim
        leeway = settings.leeway.milliseconds
    }

    /// The claims of a token that is valid now.
    /// - Parameter now: Unix milliseconds.
    package func claims(of token: String, at now: Int64) throws(JWTRejection) -> JWTClaims {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard token.utf8.count <= Self.maximumBytes, parts.count == 3,
            let signature = Base64URL.decode(Substring(parts[2])), let header = Self.object(parts[0]),
            let named = try? (alg: header.text("alg"), kid: header.text("kid"))
        else { throw .malformed }
        // An extension that must be understood is one that we do not (RFC 7515 §4.1.11).
        guard header["crit"] == nil else { throw .malformed }
        guard let alg = named.alg, Self.algorithms.contains(alg) else { throw .algorithm }
        let candidates = candidates(alg: alg, kid: named.kid)
        guard !candidates.isEmpty else { throw .unknownKey }
        let signed = Array(token.utf8.prefix(parts[0].count + 1 + parts[1].count))
        let isSigned = candidates.contains { key in
            (try? key.algorithm.verify(signature, signs: signed)) ?? false
        }
        guard isSigned else { throw .signature }
        guard let object = Self.object(parts[1]), let claims = try? UncheckedClaims(object) else { throw .malformed }
        let isOperator = operatorClaim?.isMet(by: object) ?? false
        return try check(claims, isOperator: isOperator, at: now)
    }

    /// The keys of this algorithm that have the token's `kid`, otherwise the keys without one; all if the token has no
    /// `kid`.
    private func candidates(alg: String, kid: String?) -> [JWTKey] {
        let fitting = keys.filter { $0.algorithm.name == alg }
        guard let kid else { return fitting }
        if keys.contains(where: { $0.kid == kid }) { return fitting.filter { $0.kid == kid } }
        return fitting.filter { $0.kid == nil }
    }

    private func check(
        _ claims: UncheckedClaims, isOperator: Bool, at now: Int64
    ) throws(JWTRejection) -> JWTClaims {
        let expires = claims.exp.map(Self.milliseconds)
        if let expires, now >= expires.addingClamped(leeway) { throw .expired }
        if let start = claims.nbf.map(Self.milliseconds), now < start.addingClamped(-leeway) { throw .notYetValid }
        if let issuer, claims.iss != issuer { throw .issuer }
        switch (audience, claims.aud) {
        case (nil, nil): break
        case (let audience?, let named?) where named.contains(audience): break
        default: throw .audience
        }
        guard let subject = claims.sub, (1...Self.maximumSubjectBytes).contains(subject.utf8.count) else {
            throw .noSubject
        }
        return JWTClaims(
            subject: subject, preferredUsername: claims.preferredUsername, expires: expires, isOperator: isOperator)
    }

    private static func object(_ part: Substring.UTF8View) -> JOSEObject? {
        Base64URL.decode(Substring(part)).flatMap { JOSEObject($0) }
    }

    /// A NumericDate in milliseconds, clamped to the range of `Int64`.
    private static func milliseconds(_ seconds: Double) -> Int64 {
        Int64(exactly: (seconds * 1000).rounded(.down)) ?? (seconds > 0 ? .max : .min)
    }
}

extension Int64 {
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other > 0 ? .max : .min) : sum
    }
}
