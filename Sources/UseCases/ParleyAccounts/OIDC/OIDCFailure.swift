package import ParleyModel

/// The reason that a login at a provider failed. The web app has a text for each `code`.
package enum OIDCFailure: Error, Hashable, Sendable {
    /// The user or the provider refused.
    case denied
    /// The attempt is too old, of another browser, or used before.
    case expired
    /// The provider's answer is not acceptable; the cause is in the log.
    case rejected
    /// The provider, or something here, does not answer.
    case unavailable
    /// The user has been erased.
    case noAccount
    /// An operator has suspended the user.
    case suspended(Suspension)
    /// `next` is not allowed.
    case badNext

    package var code: String {
        switch self {
        case .denied: "oidc_denied"
        case .expired: "oidc_expired"
        case .rejected: "oidc_rejected"
        case .unavailable: "oidc_unavailable"
        case .noAccount: "oidc_no_account"
        case .suspended: "oidc_suspended"
        case .badNext: "oidc_bad_next"
        }
    }

    /// For clients that show no page.
    package var explanation: String {
        switch self {
        case .denied: "the login was refused at the provider"
        case .expired: "the login is too old, began in another browser, or has been used; begin again"
        case .rejected: "the provider's answer was not accepted"
        case .unavailable: "the provider does not answer; try again later"
        case .noAccount: "the account no longer exists"
        case .suspended(let suspension): suspension.explanation
        case .badNext: LocalPath.explanation
        }
    }
}
