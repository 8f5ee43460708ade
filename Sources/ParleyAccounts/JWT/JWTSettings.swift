/// Which JWTs are accepted.
package struct JWTSettings: Sendable {
    /// For HS256 (`PARLEY_JWT_HS256_KEY`).
    package var hs256Key: Secret?
    /// The text of a JWKS file (RFC 7517 §5; `PARLEY_JWT_JWKS_FILE`), for RS256, ES256, EdDSA and HS256.
    package var jwks: String?
    /// What `iss` must be (`PARLEY_JWT_ISSUER`); `nil`: anything.
    package var issuer: String?
    /// What `aud` must contain (`PARLEY_JWT_AUDIENCE`). `nil`: only tokens without `aud` are accepted, since a token
    /// for another audience is not for us (RFC 7519 §4.1.3).
    package var audience: String?
    /// The claim whose bearer is an operator (`PARLEY_JWT_OPERATOR_CLAIM`); `nil`: none is.
    package var operatorClaim: OperatorClaim?
    /// Whether an unknown `sub` becomes a user (`PARLEY_JWT_CREATE_USERS`).
    package var createsUsers = false
    /// How far clocks may differ, for `exp` and `nbf`.
    package var leeway: Duration = .seconds(10)

    package init(hs256Key: Secret? = nil, jwks: String? = nil) {
        self.hs256Key = hs256Key
        self.jwks = jwks
    }
}
