import ParleyJSON

/// The claims of a verified JWT (RFC 7519 §4.1).
package struct JWTClaims: Hashable, Sendable {
    /// `sub`, 1 to 1024 bytes.
    package let subject: String
    /// `preferred_username` (OpenID Connect Core §5.1), used to name a new user.
    package let preferredUsername: String?
    /// `exp`, Unix milliseconds.
    package let expires: Int64?
    /// The token has the operator claim (`JWTSettings.operatorClaim`).
    package let isOperator: Bool
}

/// The claims as they stand in the token, not yet checked.
package struct UncheckedClaims {
    var sub: String?
    var iss: String?
    var aud: [String]?
    /// Seconds since 1970, possibly fractional.
    var exp: Double?
    var nbf: Double?
    var preferredUsername: String?

    package init(_ claims: JOSEObject) throws(JOSEObject.WrongKind) {
        sub = try claims.text("sub")
        iss = try claims.text("iss")
        exp = try claims.number("exp")
        nbf = try claims.number("nbf")
        preferredUsername = claims["preferred_username"]?.text
        // One audience may stand without an array.
        if let one = claims["aud"]?.text { aud = [one] } else { aud = try claims.texts("aud") }
    }
}
