package import ParleyAccounts
package import ParleyModel

/// The translation of errors of ports, rights and authentication for clients. The texts of backends go to the log.
extension MessagingError {
    /// Translates any error of a use case. An unknown error is a bug.
    package init(_ error: any Error) {
        switch error {
        case let error as MessagingError: self = error
        case let error as AuthFailure: self = MessagingError(error)
        case let error as AccountError: self = MessagingError(error)
        case let error as RightsViolation: self = MessagingError(error)
        case let error as InvalidMessagePart: self = .invalid(error.description)
        case let error as StoreError: self = MessagingError(error)
        case let error as AppendError: self = MessagingError(error)
        case let error as SharedStoreError: self = MessagingError(error)
        case is CancellationError: self = .unavailable("the server is stopping")
        default: self = .failed(cause: String(describing: error))
        }
    }

    /// Translates a violation of a role's rights.
    package init(_ error: RightsViolation) {
        self = error == .goneMessage ? .notFound(error.explanation) : .forbidden(error.explanation)
    }

    /// Translates a sanction for the user whom it concerns: why, and until when.
    package init(_ sanction: Sanction) {
        var text =
            switch sanction.kind {
            case .mute: "you are muted in this thread"
            case .ban: "you are banned from this thread"
            }
        if let until = sanction.until { text += " until \(CivilTime.rfc3339(milliseconds: until))" }
        if let reason = sanction.reason { text += ": \(reason)" }
        self = .forbidden(text)
    }

    package init(_ error: StoreError) {
        switch error {
        case .unavailable(let reason):
            self = .unavailable("the database is unavailable or too busy", cause: reason)
        case .taken: self = .conflict("the name or id is taken")
        case .noAvatar: self = .notFound("no such user, or the picture is not a complete image of your own")
        case .failed(let reason): self = .failed(cause: reason)
        }
    }

    package init(_ error: AppendError) {
        switch error {
        case .conflict: self = .conflict("the client_id was used for something else")
        case .unavailable(let reason):
            self = .unavailable("the message log is unavailable or too busy", cause: reason)
        }
    }

    package init(_ error: SharedStoreError) {
        switch error {
        case .unavailable(let reason): self = .unavailable("Redis is unavailable or too busy", cause: reason)
        }
    }

    package init(_ error: AuthFailure) {
        switch error {
        case .unauthorized(let text): self = .unauthorized(text)
        case .forbidden(let text): self = .forbidden(text)
        case .suspended(let suspension): self = .suspended(suspension)
        case .rateLimited(let seconds): self = .rateLimited(afterMilliseconds: Int64(seconds) * 1000)
        case .unavailable(let text): self = .unavailable(text)
        }
    }

    package init(_ error: AccountError) {
        switch error {
        case .badInput: self = .invalid(error.explanation)
        case .nameTaken, .signupClosed, .passwordNotAllowed: self = .forbidden(error.explanation)
        case .suspended(let suspension): self = .suspended(suspension)
        case .wrongCredentials: self = .unauthorized(error.explanation)
        case .rateLimited(let seconds): self = .rateLimited(afterMilliseconds: Int64(seconds) * 1000)
        case .unavailable: self = .unavailable(error.explanation)
        }
    }
}
