import Logging
import ParleyModel

/// Why signing up, in or out failed; REST makes a status of it. Texts are for the client.
package enum AccountError: Error, Hashable, Sendable {
    /// What was wrong with the name or the password, and what is allowed: 400.
    case badInput(String)
    /// 403.
    case nameTaken
    /// Nobody may sign up here: 403.
    case signupClosed
    /// Name or password is wrong; which one is not told: 401.
    case wrongCredentials
    /// 429.
    case rateLimited(retryAfterSeconds: Int)
    /// 503.
    case unavailable(String)

    /// What is wrong, in words.
    package var explanation: String {
        switch self {
        case .badInput(let message), .unavailable(let message): message
        case .nameTaken: "the username is taken"
        case .signupClosed: "accounts are not made here"
        case .wrongCredentials: "wrong username or password"
        case .rateLimited(let seconds): "too many attempts; try again in \(seconds) s"
        }
    }

    /// The store did not answer. What it said goes to the log, not to the client.
    init(_ error: StoreError, _ logger: Logger) {
        error.log(to: logger)
        self = .unavailable("accounts cannot be looked up at the moment")
    }

    /// The same as a failed authentication.
    var authFailure: AuthFailure {
        switch self {
        case .rateLimited(let seconds): .rateLimited(retryAfterSeconds: seconds)
        case .unavailable(let reason): .unavailable(reason)
        case .wrongCredentials, .badInput, .nameTaken, .signupClosed:
            .unauthorized("the name or the password is wrong")
        }
    }
}
