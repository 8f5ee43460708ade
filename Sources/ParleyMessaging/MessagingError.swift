package import ParleyAccounts
package import ParleyModel

/// Why a command was not carried out. Each listener maps these to its own codes in one table; the texts are for the
/// client: what was wrong, what is allowed, no secrets.
package enum MessagingError: Error, Hashable, Sendable {
    /// A field that is missing or wrong.
    case invalid(String)
    /// A text or list over its limit.
    case tooLarge(String)
    /// No such thread, message, user or member; or a message that was deleted.
    case notFound(String)
    /// The thread is there, the caller is not in it.
    case notAMember
    /// The caller's role or credentials do not allow it.
    case forbidden(String)
    /// A `client_id`, title, name or id that is used for something else.
    case conflict(String)
    /// Over a budget.
    case rateLimited(afterMilliseconds: Int64)
    /// The log, a database or Redis is away. The command may have been carried out all the same; repeating it is safe.
    case unavailable(String)
}

extension MessagingError {
    /// Why a role does not allow something.
    package init(_ error: RightsViolation) {
        self = error == .goneMessage ? .notFound(error.explanation) : .forbidden(error.explanation)
    }

    /// - Note: what the store says is for the log; callers keep it as the cause.
    package init(_ error: StoreError) {
        switch error {
        case .unavailable, .failed: self = .unavailable("the database is away or too busy")
        case .taken: self = .conflict("the name or id is taken")
        }
    }

    package init(_ error: AccountError) {
        self =
            switch error {
            case .badInput: .invalid(error.explanation)
            case .nameTaken: .conflict(error.explanation)
            case .signupClosed, .wrongCredentials: .forbidden(error.explanation)
            case .rateLimited(let seconds): .rateLimited(afterMilliseconds: Int64(seconds) * 1000)
            case .unavailable: .unavailable(error.explanation)
            }
    }

    package init(_ error: AppendError) {
        switch error {
        case .conflict: self = .conflict("the client_id was used for something else")
        case .unavailable: self = .unavailable("the message log is away or too busy")
        }
    }
}
