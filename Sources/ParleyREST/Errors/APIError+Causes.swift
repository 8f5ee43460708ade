import Hummingbird
import ParleyAccounts
import ParleyMessaging
import ParleyModel

/// The mapping of other modules' errors to responses.
extension APIError {
    /// Any error thrown by a route or the router.
    init(_ error: any Error) {
        switch error {
        case let error as APIError: self = error
        case let error as MessagingError: self = APIError(error)
        case let error as AuthFailure: self = APIError(error)
        case let error as AccountError: self = APIError(error)
        case let error as StoreError: self = APIError(error)
        case let error as AppendError: self = APIError(error)
        case let error as SharedStoreError: self = APIError(error)
        case let violation as RightsViolation: self = APIError(violation)
        case let violation as InvalidMessagePart: self = .badRequest(violation.description)
        case is CancellationError: self = APIError(.unavailable, "the server is stopping")
        case let error as HTTPError where error.status == .notFound: self = .unknownPath
        default: self = .internal(String(describing: error))
        }
    }

    /// An error of a command.
    init(_ error: MessagingError) {
        switch error {
        case .invalid(let message): self.init(.badRequest, message)
        case .tooLarge(let message): self.init(.tooLarge, message)
        case .notFound(let message): self.init(.notFound, message)
        case .notAMember: self.init(.notAMember, "not a member of this thread")
        case .forbidden(let message): self.init(.forbidden, message)
        case .conflict(let message): self.init(.conflict, message)
        case .rateLimited(let milliseconds):
            self = .rateLimited(retryAfterSeconds: Int((milliseconds + 999) / 1000))
        case .unavailable(let message): self.init(.unavailable, message)
        }
    }

    init(_ failure: AuthFailure) {
        switch failure {
        case .unauthorized(let message): self.init(.unauthorized, message)
        case .forbidden(let message): self.init(.forbidden, message)
        case .rateLimited(let seconds): self = .rateLimited(retryAfterSeconds: seconds)
        case .unavailable(let message): self.init(.unavailable, message)
        }
    }

    init(_ error: AccountError) {
        switch error {
        case .badInput: self.init(.badRequest, error.explanation)
        case .nameTaken, .signupClosed, .passwordNotAllowed: self.init(.forbidden, error.explanation)
        case .wrongCredentials: self.init(.unauthorized, error.explanation)
        case .rateLimited(let seconds): self = .rateLimited(retryAfterSeconds: seconds)
        case .unavailable: self.init(.unavailable, error.explanation)
        }
    }

    init(_ violation: RightsViolation) {
        self.init(violation == .goneMessage ? .notFound : .forbidden, violation.explanation)
    }

    /// Texts of database errors go to the log; the client only learns whether to retry.
    init(_ error: StoreError) {
        switch error {
        case .unavailable(let reason):
            self.init(.unavailable, "the database is unavailable or too busy")
            detail = reason
        case .taken, .noAvatar: self.init(MessagingError(error))
        case .failed(let reason): self = .internal(reason)
        }
    }

    init(_ error: SharedStoreError) {
        switch error {
        case .unavailable(let reason):
            self.init(.unavailable, "Redis is unavailable or too busy")
            detail = reason
        }
    }

    init(_ error: AppendError) {
        switch error {
        case .conflict: self.init(.conflict, "the client_id was used for something else")
        case .unavailable(let reason):
            self.init(.unavailable, "the message log is unavailable or too busy")
            detail = reason
        }
    }
}
