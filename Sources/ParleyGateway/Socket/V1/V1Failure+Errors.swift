import ParleyMessaging
import ParleyWire

extension V1Failure {
    /// The error of a use case, as a v1 client gets it.
    init(_ error: MessagingError) {
        // Clients repeat what failed on the server, as they repeat what was unavailable.
        self.init(
            V1ErrorCode(rawValue: error.code.rawValue) ?? .unavailable, error.message,
            retryAfterMilliseconds: error.retryAfterMilliseconds)
    }

    /// The public part of any error.
    init(_ error: any Error) { self.init(MessagingError(error)) }
}
