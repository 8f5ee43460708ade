/// Settings of the login at an OpenID provider.
package struct OIDCSettings: Sendable {
    /// Scopes that are requested unless others are set.
    package static let standardScopes = "openid profile email"
    /// The claim that names a new user, unless another one is set.
    package static let standardUsernameClaim = "preferred_username"

    /// The provider (`PARLEY_OIDC_ISSUER`), as it names itself in its documents and tokens.
    package var issuer: ProviderAddress
    /// `PARLEY_OIDC_CLIENT_ID`.
    package var clientID: String
    /// `PARLEY_OIDC_CLIENT_SECRET`; `nil` for a public client, which PKCE alone protects.
    package var clientSecret: Secret?
    /// Separated by spaces; `openid` is one of them (`PARLEY_OIDC_SCOPES`).
    package var scopes = OIDCSettings.standardScopes
    /// `PARLEY_OIDC_USERNAME_CLAIM`.
    package var usernameClaim = OIDCSettings.standardUsernameClaim

    package init(issuer: ProviderAddress, clientID: String) {
        self.issuer = issuer
        self.clientID = clientID
    }

    /// Whether a text is a list of scopes (RFC 6749 §3.3) with `openid`, which makes a request one of OpenID Connect.
    package static func areScopes(_ text: String) -> Bool {
        let scopes = text.split(separator: " ", omittingEmptySubsequences: false)
        let areTokens = scopes.allSatisfy { scope in
            !scope.isEmpty && scope.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
        }
        return text.utf8.count <= 512 && areTokens && scopes.contains("openid")
    }
}
