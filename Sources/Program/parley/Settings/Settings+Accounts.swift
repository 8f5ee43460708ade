import ParleyAccounts
import ParleyModel

extension Settings {
    static func accounts(
        _ reader: inout SettingsReader, _ limits: Limits, _ database: DatabaseAddress, _ django: DjangoSettings?,
        _ secretFallback: (DatabaseAddress) throws(SettingError) -> Secret
    ) -> AccountSettings {
        var settings = AccountSettings(secret: secret(&reader, database, secretFallback))
        settings.limits = limits
        settings.allowsSignup = reader.boolean(
            "auth.signup", django == nil,
            "Whether anyone may create an account. With Django sessions the default is `false`, as names would be shared."
        )
        settings.allowsTokenPasswords = reader.boolean(
            "auth.token_passwords", false,
            "Whether users with a JWT or an API key may set themselves a password, which outlasts them. Operators always can."
        )
        settings.django = django
        settings.admins = admins(&reader)
        settings.idForm = idForm(&reader)
        settings.passwordIterations = passwordIterations(&reader)
        settings.sessionLifetime = .seconds(
            reader.integer("auth.session_seconds", 1_209_600, in: 60...315_360_000, "Lifetime of a login, in seconds."))
        settings.resumeTicketLifetime = .seconds(
            reader.integer(
                "auth.resume_ticket_seconds", 600, in: 10...600,
                "Lifetime of the ticket in `hello` and `bye`, in seconds."))
        let origins = reader.optionalText(
            "allowed_origins", allowed: "comma-separated origins, e.g. https://chat.example.org",
            "Origins of other hosts whose pages may call the API and use the session cookie.")
        settings.origins = reader.parse("allowed_origins", or: OriginPolicy()) {
            try OriginPolicy(parsing: origins ?? "")
        }
        let keys = reader.optionalText(
            "api_keys", allowed: "comma-separated name:pk_…", "API keys of back ends.", secrecy: .secret)
        settings.apiKeys = reader.parse("api_keys", or: APIKeys()) { try APIKeys(parsing: keys ?? "") }
        settings.jwt = jwt(&reader)
        settings.oidc = oidc(&reader)
        return settings
    }

    private static func secret(
        _ reader: inout SettingsReader, _ database: DatabaseAddress,
        _ fallback: (DatabaseAddress) throws(SettingError) -> Secret
    ) -> Secret {
        let text = reader.optionalText(
            "secret", allowed: "a string of at least \(Tickets.minimumSecretBytes) bytes",
            standard: "generated at the first start and stored beside an SQLite file; required with PostgreSQL",
            "Signs tickets and keys the digests of deleted messages; the same on all nodes.", secrecy: .secret)
        let none = Secret(text: String(repeating: "-", count: Tickets.minimumSecretBytes))
        guard let text else {
            // Without a valid database path there is no place for the secret.
            return reader.hasRejected("database") ? none : reader.parse("secret", or: none) { try fallback(database) }
        }
        guard text.utf8.count >= Tickets.minimumSecretBytes else {
            reader.rejectValue(of: "secret")
            return none
        }
        return Secret(text: text)
    }

    private static func admins(_ reader: inout SettingsReader) -> Set<String> {
        let text = reader.optionalText(
            "auth.admins", allowed: "comma-separated usernames",
            "Operators by name, for accounts that an operator, an API key or `parley admin` created. Others cannot take the names."
        )
        var admins: Set<String> = []
        for entry in (text ?? "").split(separator: ",") {
            let name = entry.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if let name = UsernameRules.normalized(name) {
                admins.insert(name)
            } else {
                reader.rejectValue(of: "auth.admins", because: UsernameRules.explanation)
                break
            }
        }
        return admins
    }

    /// Also for commands that name users.
    static func idForm(_ reader: inout SettingsReader) -> UserIDForm {
        let text = reader.text(
            "users.id_form", "digits,uuid", allowed: UserIDForm.allowed,
            "Texts that are always ids of users, never names, where either is accepted; sign-up refuses them.",
            isAllowed: { UserIDForm($0) != nil })
        return UserIDForm(text) ?? .standard
    }

    /// Also for commands that need little else.
    static func passwordIterations(_ reader: inout SettingsReader) -> Int {
        reader.integer(
            "auth.pbkdf2_iterations", AccountSettings.standardPasswordIterations, in: 1...10_000_000,
            "PBKDF2-SHA256 iterations of new password hashes.")
    }

    private static func jwt(_ reader: inout SettingsReader) -> JWTSettings? {
        let key = reader.optionalText(
            "jwt.hs256_key", allowed: "a string, or base64: followed by base64", "Key that verifies JWTs with HS256.",
            secrecy: .secret)
        let file = reader.optionalText(
            "jwt.jwks_file", allowed: "the path of a JWKS file (RFC 7517)",
            "Keys that verify JWTs with RS256, ES256, EdDSA or HS256.")
        var settings = JWTSettings()
        settings.issuer = reader.optionalText("jwt.issuer", allowed: "a string", "Required value of `iss`.")
        settings.audience = reader.optionalText("jwt.audience", allowed: "a string", "Required entry of `aud`.")
        settings.createsUsers = reader.boolean(
            "jwt.create_users", false, "Whether a JWT with an unknown `sub` creates a user.")
        let claim = reader.optionalText(
            "jwt.operator_claim", allowed: OperatorClaim.allowed,
            "Claim that makes the bearer of a JWT an operator: `name` must be `true`, `name=value` that text or in a list."
        )
        if let claim {
            settings.operatorClaim = OperatorClaim(claim)
            if settings.operatorClaim == nil { reader.rejectValue(of: "jwt.operator_claim") }
        }
        guard key != nil || file != nil else { return nil }
        if let key {
            settings.hs256Key = reader.parse("jwt.hs256_key", or: nil) {
                try Secret(setting: "PARLEY_JWT_HS256_KEY", value: key)
            }
        }
        if let file {
            settings.jwks = reader.parse("jwt.jwks_file", or: nil) {
                try TextFile.read(file, setting: "PARLEY_JWT_JWKS_FILE")
            }
        }
        return settings
    }
}
