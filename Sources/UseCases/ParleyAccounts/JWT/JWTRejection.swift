/// The reason that a JWT was rejected.
package enum JWTRejection: Error, Hashable, Sendable {
    case malformed
    /// Not a supported algorithm; `none` is never supported.
    case algorithm
    /// No configured key matches its `alg` and `kid`.
    case unknownKey
    case signature
    case expired
    case notYetValid
    case issuer
    case audience
    case noSubject
    /// Not the `nonce` of the login that it was issued for; ID tokens only.
    case nonce

    /// For the client.
    package var explanation: String {
        switch self {
        case .malformed: "the JWT is malformed"
        case .algorithm: "the JWT has an alg that is not accepted; allowed are HS256, RS256, ES256 and EdDSA"
        case .unknownKey: "no known key matches the alg and kid of the JWT"
        case .signature: "the signature of the JWT is wrong"
        case .expired: "the JWT is expired"
        case .notYetValid: "the JWT is not valid yet"
        case .issuer: "the JWT has a wrong iss"
        case .audience: "the JWT has a wrong aud"
        case .noSubject: "the JWT has no sub"
        case .nonce: "the JWT has a wrong nonce"
        }
    }
}
