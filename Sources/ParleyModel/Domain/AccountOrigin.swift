/// Who has made an account. It never changes; a store that does not know it (the account is older than the record, or
/// was made by a node of an older version) has none.
package enum AccountOrigin: String, CaseIterable, Hashable, Sendable {
    /// A user with operator rights, at `/v1/admin` or the console.
    case `operator`
    /// A back end with an API key, an import included.
    case apiKey = "api_key"
    /// `parley admin`.
    case command
    /// Its user.
    case signUp = "sign_up"
    /// The first JWT of an unknown `sub`, or one whose claim makes its bearer an operator, at `/v1/admin`.
    case jwt
    /// The first Django session of an unknown username.
    case django

    /// Whoever runs this server has chosen the name; everybody else may have taken it.
    package var isOwn: Bool {
        switch self {
        case .operator, .apiKey, .command: true
        case .signUp, .jwt, .django: false
        }
    }
}
