import Logging
package import ParleyModel

/// The reason that a sign-up, login or logout failed; REST maps it to a status. Texts are for the client.
package enum AccountError: Error, Hashable, Sendable {
    /// The name or password is invalid, with the rule: 400.
    case badInput(String)
    /// 403.
    case nameTaken
    /// Sign-up is disabled: 403.
    case signupClosed
    /// The request's credential may not set a password, or the user has none to prove who they are: 403.
    case passwordNotAllowed
    /// The password is right, but an operator has suspended the user: 403.
    case suspended(Suspension)
    /// The name or the password is wrong, without saying which: 401.
    case wrongCredentials
    /// 429.
    case rateLimited(retryAfterSeconds: Int)
    /// 503.
    case unavailable(String)

    /// The error text for the client.
    package var explanation: String {
        switch self {
        case .badInput(let message), .unavailable(let message): message
        case .nameTaken: "the username is taken, or looks like one that is"
        case .signupClosed: "sign-up is disabled"
        case .passwordNotAllowed:
            "only users who have logged in with a password may change it; others get one from an operator"
        case .suspended(let suspension): suspension.explanation
        case .wrongCredentials: "wrong username or password"
        case .rateLimited(let seconds): "too many attempts; try again in \(seconds) s"
        }
    }

    /// Maps a store error. Its text goes to the log, not to the client.
    init(_ error: StoreError, _ logger: Logger) {
        error.log(to: logger)
        self = .unavailable("accounts cannot be looked up at the moment")
    }

    /// The corresponding authentication failure.
    var authFailure: AuthFailure {
        switch self {
        case .rateLimited(let seconds): .rateLimited(retryAfterSeconds: seconds)
        case .unavailable(let reason): .unavailable(reason)
        case .suspended(let suspension): .suspended(suspension)
        case .wrongCredentials, .badInput, .nameTaken, .signupClosed, .passwordNotAllowed:
            .unauthorized("the name or the password is wrong")
        }
    }
}
