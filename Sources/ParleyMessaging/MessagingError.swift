package import ParleyAccounts
package import ParleyModel

/// Why a command was rejected. Each listener maps these to its own codes in one table. The texts are for the client:
/// what was wrong and what is allowed, no secrets.
package enum MessagingError: Error, Hashable, Sendable {
    /// A missing or invalid field.
    case invalid(String)
    /// A text or list above its limit.
    case tooLarge(String)
    /// No such thread, message, user or member, or the message was deleted.
    case notFound(String)
    /// The thread exists, but the caller is not a member.
    case notAMember
    /// The caller's role or credentials do not allow it.
    case forbidden(String)
    /// A `client_id`, title, name or id that is already used for something else.
    case conflict(String)
    /// Over a budget.
    case rateLimited(afterMilliseconds: Int64)
    /// The log, a database or Redis is unavailable. The command may still have taken effect; repeating it is safe.
    case unavailable(String)
}

extension MessagingError {
    /// Maps a violation of a role's rights.
    package init(_ error: RightsViolation) {
        self = error == .goneMessage ? .notFound(error.explanation) : .forbidden(error.explanation)
    }

    /// - Note: the store's own text is for the log; callers keep it as the cause.
    package init(_ error: StoreError) {
        switch error {
        case .unavailable, .failed: self = .unavailable("the database is unavailable or too busy")
        case .taken: self = .conflict("the name or id is taken")
        case .noAvatar: self = .notFound("no such user, or the avatar is not an attachment of the user's own")
        }
    }

    package init(_ error: AccountError) {
        self =
            switch error {
            case .badInput: .invalid(error.explanation)
            case .nameTaken: .conflict(error.explanation)
            case .signupClosed, .wrongCredentials, .passwordNotAllowed: .forbidden(error.explanation)
            case .rateLimited(let seconds): .rateLimited(afterMilliseconds: Int64(seconds) * 1000)
            case .unavailable: .unavailable(error.explanation)
            }
    }

    package init(_ error: AppendError) {
        switch error {
        case .conflict: self = .conflict("the client_id was used for something else")
        case .unavailable: self = .unavailable("the message log is unavailable or too busy")
        }
    }
}
