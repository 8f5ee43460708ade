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

/// The claims of a token before validation.
struct UncheckedClaims: Decodable {
    var sub: String?
    var iss: String?
    var aud: [String]?
    /// Seconds since 1970, possibly fractional.
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
        // A single audience may be a string instead of an array.
        if let one = try? values.decodeIfPresent(String.self, forKey: .aud) {
            aud = [one]
        } else {
            aud = try values.decodeIfPresent([String].self, forKey: .aud)
        }
    }
}
