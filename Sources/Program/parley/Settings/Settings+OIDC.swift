import ParleyAccounts
import ParleyREST

extension Settings {
    /// The login at an OpenID provider; `nil` if there is none.
    static func oidc(_ reader: inout SettingsReader) -> OIDCSettings? {
        let issuer = reader.optionalText(
            "oidc.issuer", allowed: "an https:// URL without a query, or http:// on this machine",
            "OpenID provider at which users may log in, as it names itself. Its discovery document must be there.")
        let client = reader.optionalText(
            "oidc.client_id", allowed: "1 to 255 printable ASCII characters", "Client ID that the provider has given.")
        let secret = reader.optionalText(
            "oidc.client_secret", allowed: "a string",
            "Client secret that the provider has given; none for a public client, which PKCE alone protects.",
            secrecy: .secret)
        let scopes = reader.text(
            "oidc.scopes", OIDCSettings.standardScopes, allowed: "scopes divided by one space, openid among them",
            "Scopes to request.", isAllowed: OIDCSettings.areScopes)
        let claim = reader.text(
            "oidc.username_claim", OIDCSettings.standardUsernameClaim, allowed: "1 to 64 characters",
            "Claim that names a new user, in the ID token or the user info; `sub` if it is missing.",
            isAllowed: { (1...64).contains($0.unicodeScalars.count) })
        guard let issuer else {
            let lonely = [("oidc.client_id", client), ("oidc.client_secret", secret)].filter { $0.1 != nil }
            for (name, _) in lonely { reader.reject(name, "needs PARLEY_OIDC_ISSUER, which is not set") }
            return nil
        }
        guard let address = ProviderAddress(issuer), !address.hasQuery else {
            reader.rejectValue(of: "oidc.issuer")
            return nil
        }
        guard let client else {
            reader.reject("oidc.issuer", "needs PARLEY_OIDC_CLIENT_ID, which is not set")
            return nil
        }
        guard (1...255).contains(client.utf8.count), client.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            reader.rejectValue(of: "oidc.client_id")
            return nil
        }
        var settings = OIDCSettings(issuer: address, clientID: client)
        settings.clientSecret = secret.map { Secret(text: $0) }
        settings.scopes = scopes
        settings.usernameClaim = claim
        return settings
    }

    /// What the web app shows of it.
    static func webLogin(_ reader: inout SettingsReader, _ oidc: OIDCSettings?, _ settings: inout WebAppSettings) {
        let name = reader.text(
            "oidc.name", "OpenID Connect", allowed: "1 to 32 characters",
            "Name of the provider on the web app's button, *Log in with …*.",
            isAllowed: { (1...32).contains($0.unicodeScalars.count) })
        settings.hasPasswords = reader.boolean(
            "web.passwords", true,
            "Whether the web app has forms for passwords; without them, its login is only the button of the provider.")
        settings.providerName = oidc.map { _ in name }
        if oidc != nil, settings.loginURL != nil {
            reader.reject(
                "oidc.issuer", "contradicts PARLEY_LOGIN_URL, with which the web app has no login; set one of them")
        }
        if !settings.hasPasswords, oidc == nil, settings.loginURL == nil, !reader.hasRejected("oidc.issuer") {
            reader.reject("web.passwords", "is false, but without PARLEY_OIDC_ISSUER there is no other login")
        }
    }
}
