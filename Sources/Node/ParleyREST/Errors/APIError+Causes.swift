package import HTTPTypes
import Hummingbird
package import ParleyMessaging

/// The errors of other modules as responses. `MessagingError` defines their codes and texts.
extension APIError {
    /// Makes a response for any error thrown by a route or the router.
    init(_ error: any Error) {
        switch error {
        case let error as APIError: self = error
        case let error as HTTPError where error.status == .notFound: self = .unknownPath
        default: self = APIError(MessagingError(error))
        }
    }

    init(_ error: MessagingError) {
        self.init(error.code, error.message)
        detail = error.cause
        if case .suspended(let suspension) = error { self.suspension = suspension }
        if let milliseconds = error.retryAfterMilliseconds, status != .internalServerError {
            headers[.retryAfter] = String(max(1, (milliseconds + 999) / 1000))
        }
    }
}

extension ErrorCode {
    /// The usual status of a response with this code.
    package var status: HTTPResponse.Status {
        switch self {
        case .badRequest: .badRequest
        case .unauthorized: .unauthorized
        case .forbidden, .notAMember, .suspended: .forbidden
        case .notFound: .notFound
        case .conflict, .rolledBack: .conflict
        case .tooLarge: .contentTooLarge
        case .rateLimited: .tooManyRequests
        case .unavailable: .serviceUnavailable
        case .internal: .internalServerError
        }
    }
}
