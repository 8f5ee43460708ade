import ParleyJSON
import ParleyModel

/// The claims about the user who has logged in, from a verified ID token and from the user info.
struct ProviderClaims: Sendable {
    /// `sub`, 1 to 1024 bytes.
    let subject: String
    private let object: JOSEObject

    init(subject: String, object: JOSEObject) {
        self.subject = subject
        self.object = object
    }

    /// A claim that is a text and not empty.
    func text(_ name: String) -> String? {
        object[name]?.text.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The rules for the claims of an ID token whose signature is valid (OpenID Connect Core §3.1.3.7).
struct IDTokenRules: Sendable {
    /// The algorithms of ID tokens. A key that a provider publishes must not verify HS256.
    static let algorithms: Set = ["RS256", "ES256", "EdDSA"]
    /// Tolerated clock difference.
    static let leeway = Duration.seconds(60)

    let issuer: String
    let clientID: String

    /// - Parameters:
    ///   - nonce: that of the attempt.
    ///   - now: Unix milliseconds.
    func claims(of object: JOSEObject, nonce: String, at now: Int64) throws(JWTRejection) -> ProviderClaims {
        let leeway = Self.leeway.milliseconds
        guard let claims = try? UncheckedClaims(object), let issuedAtSeconds = try? object.number("iat") else {
            throw .malformed
        }
        guard let named = claims.iss, named.utf8.elementsEqual(issuer.utf8) else { throw .issuer }
        guard let audience = claims.aud, audience.contains(clientID) else { throw .audience }
        // A token for several clients says for which it was issued.
        let party = object["azp"]
        guard party == nil ? audience.count == 1 : party == .text(clientID) else { throw .audience }
        guard let end = claims.exp else { throw .malformed }
        guard now < Int64(numericDate: end).addingClamped(leeway) else { throw .expired }
        let issuedAt = Int64(numericDate: issuedAtSeconds)
        if issuedAt.addingClamped(-leeway) > now { throw .notYetValid }
        if let start = claims.nbf, Int64(numericDate: start).addingClamped(-leeway) > now { throw .notYetValid }
        // Issued for this attempt, so not before it could have begun.
        let oldest = now.addingClamped(-LoginAttempts.lifetime.milliseconds)
        guard issuedAt.addingClamped(leeway) >= oldest else { throw .expired }
        guard object["nonce"] == .text(nonce) else { throw .nonce }
        guard let subject = claims.sub, (1...JWTVerifier.maximumSubjectBytes).contains(subject.utf8.count) else {
            throw .noSubject
        }
        return ProviderClaims(subject: subject, object: object)
    }
}
