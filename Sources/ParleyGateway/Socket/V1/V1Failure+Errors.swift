import ParleyAccounts
import ParleyMessaging
import ParleySession
import ParleyWire

extension V1Failure {
    /// The error of a use case, as a v1 client gets it.
    init(_ error: MessagingError) {
        switch error {
        case .invalid(let message): self.init(.badRequest, message)
        case .tooLarge(let message): self.init(.tooLarge, message)
        case .notFound(let message): self.init(.notFound, message)
        case .notAMember: self = .nonMember
        case .forbidden(let message): self.init(.forbidden, message)
        case .conflict(let message): self.init(.conflict, message)
        case .rateLimited(let milliseconds):
            self.init(.rateLimited, "too many commands of this kind", retryAfterMilliseconds: milliseconds)
        case .unavailable(let message): self.init(.unavailable, message, retryAfterMilliseconds: 500)
        }
    }

    /// The public part of an authentication error, or of any other error whose type is not known here.
    init(_ failure: any Error) {
        if let error = failure as? MessagingError {
            self.init(error)
            return
        }
        guard let failure = failure as? AuthFailure else {
            self = .unavailable
            return
        }
        switch failure {
        case .unauthorized(let reason), .forbidden(let reason): self.init(.unauthorized, reason)
        case .rateLimited(let seconds):
            self.init(.rateLimited, "too many logins", retryAfterMilliseconds: Int64(seconds) * 1000)
        case .unavailable(let reason): self.init(.unavailable, reason, retryAfterMilliseconds: 500)
        }
    }
}
