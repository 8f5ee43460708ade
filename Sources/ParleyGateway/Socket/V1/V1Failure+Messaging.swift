import ParleyMessaging
import ParleySession
import ParleyWire

extension V1Failure {
    /// Why a use case was not carried out, as a v1 client is told.
    init(_ error: MessagingError) {
        switch error {
        case .invalid(let message): self.init(.badRequest, message)
        case .tooLarge(let message): self.init(.tooLarge, message)
        case .notFound(let message): self.init(.notFound, message)
        case .notAMember: self = .stranger
        case .forbidden(let message): self.init(.forbidden, message)
        case .conflict(let message): self.init(.conflict, message)
        case .rateLimited(let milliseconds):
            self.init(.rateLimited, "too many commands of this kind", retryAfterMilliseconds: milliseconds)
        case .unavailable(let message): self.init(.unavailable, message, retryAfterMilliseconds: 500)
        }
    }
}
