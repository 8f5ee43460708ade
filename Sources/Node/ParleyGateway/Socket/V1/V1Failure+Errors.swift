import Logging
import ParleyMessaging
import ParleyWire

extension V1Failure {
    /// The error of a use case, as a v1 client gets it.
    init(_ error: MessagingError) {
        // The dialect has no code for suspended users, whose sockets close.
        if case .suspended = error {
            self.init(.forbidden, error.message)
            return
        }
        // Clients repeat what failed on the server, as they repeat what was unavailable.
        self.init(
            V1ErrorCode(rawValue: error.code.rawValue) ?? .unavailable, error.message,
            retryAfterMilliseconds: error.retryAfterMilliseconds)
    }

    /// The public part of any error.
    init(_ error: any Error) { self.init(MessagingError(error)) }
}

extension GatewayTelemetry {
    /// The public part of an error. Its message refers to the log if the server failed, so the cause is logged.
    func failure(of error: MessagingError) -> V1Failure {
        if case .failed(let cause) = error { logger.error("command failed", metadata: ["reason": "\(cause)"]) }
        return V1Failure(error)
    }
}
