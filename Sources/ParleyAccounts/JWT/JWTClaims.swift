/// What a verified JWT says (RFC 7519 §4.1).
package struct JWTClaims: Hashable, Sendable {
    /// `sub`, 1 to 1024 bytes.
    package let subject: String
    /// `preferred_username` (OpenID Connect Core §5.1), for a user that is made from it.
    package let preferredUsername: String?
    /// `exp`, Unix milliseconds.
    package let expires: Int64?
    /// The token has the claim of operators (`JWTSettings.operatorClaim`).
    package let isOperator: Bool
}

/// The claims as they stand in the token, not yet checked.
struct UncheckedClaims: Decodable {
    var sub: String?
    var iss: String?
    var aud: [String]?
    /// Seconds since 1970, with or without a fraction.
    var exp: Double?
    var nbf: Double?
    var preferredUsername: String?

    private enum CodingKeys: String, CodingKey {
        case sub, iss, aud, exp, nbf
        case preferredUsername = "preferred_username"
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        sub = try values.decodeIfPresent(String.self, forKey: .sub)
        iss = try values.decodeIfPresent(String.self, forKey: .iss)
        exp = try values.decodeIfPresent(Double.self, forKey: .exp)
        nbf = try values.decodeIfPresent(Double.self, forKey: .nbf)
        preferredUsername = try? values.decodeIfPresent(String.self, forKey: .preferredUsername)
        // One audience may stand without an array.
        if let one = try? values.decodeIfPresent(String.self, forKey: .aud) {
            aud = [one]
        } else {
            aud = try values.decodeIfPresent([String].self, forKey: .aud)
        }
    }
}
