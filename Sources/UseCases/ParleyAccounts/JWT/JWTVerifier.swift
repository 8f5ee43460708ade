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

    private let keys: JWTKeys
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
        self.keys = JWTKeys(keys)
        issuer = settings.issuer
        audience = settings.audience
        operatorClaim = settings.operatorClaim
        leeway = settings.leeway.milliseconds
    }

    /// The claims of a token that is valid now.
    /// - Parameter now: Unix milliseconds.
    package func claims(of token: String, at now: Int64) throws(JWTRejection) -> JWTClaims {
        let object = try keys.claims(signedIn: token, by: Self.algorithms)
        guard let claims = try? UncheckedClaims(object) else { throw .malformed }
        let isOperator = operatorClaim?.isMet(by: object) ?? false
        return try check(claims, isOperator: isOperator, at: now)
    }

    private func check(
        _ claims: UncheckedClaims, isOperator: Bool, at now: Int64
    ) throws(JWTRejection) -> JWTClaims {
        let expires = claims.exp.map { Int64(numericDate: $0) }
        if let expires, now >= expires.addingClamped(leeway) { throw .expired }
        if let start = claims.nbf, now < Int64(numericDate: start).addingClamped(-leeway) { throw .notYetValid }
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
}

extension Int64 {
    /// A NumericDate in milliseconds, clamped to the range of `Int64`.
    init(numericDate seconds: Double) {
        self = Int64(exactly: (seconds * 1000).rounded(.down)) ?? (seconds > 0 ? .max : .min)
    }

    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other > 0 ? .max : .min) : sum
    }
}
