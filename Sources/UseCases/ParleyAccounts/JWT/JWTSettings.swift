/// Settings that decide which JWTs are accepted.
package struct JWTSettings: Sendable {
    /// For HS256 (`PARLEY_JWT_HS256_KEY`).
    package var hs256Key: Secret?
    /// The text of a JWKS file (RFC 7517 §5; `PARLEY_JWT_JWKS_FILE`), for RS256, ES256, EdDSA and HS256.
    package var jwks: String?
    /// The required `iss` (`PARLEY_JWT_ISSUER`); `nil` accepts any.
    package var issuer: String?
    /// A value that `aud` must contain (`PARLEY_JWT_AUDIENCE`). `nil` accepts only tokens without `aud`, since a token
    /// for another audience must be rejected (RFC 7519 §4.1.3).
    package var audience: String?
    /// The claim that grants operator rights (`PARLEY_JWT_OPERATOR_CLAIM`); `nil` if no claim does.
    package var operatorClaim: OperatorClaim?
    /// Whether an unknown `sub` creates a user (`PARLEY_JWT_CREATE_USERS`).
    package var createsUsers = false
    /// Tolerated clock difference for `exp` and `nbf`.
    package var leeway: Duration = .seconds(10)

    package init(hs256Key: Secret? = nil, jwks: String? = nil) {
        self.hs256Key = hs256Key
        self.jwks = jwks
    }
}
