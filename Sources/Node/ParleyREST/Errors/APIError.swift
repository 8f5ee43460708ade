import HTTPTypes
import Hummingbird
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// The reason that a request failed, encoded as `{"error":{"code","message"}}`.
struct APIError: Error {
    var code: ErrorCode
    /// The error and the rule, as a text for the client. It contains no secrets.
    var message: String
    var status: HTTPResponse.Status
    var headers: HTTPFields = [:]
    /// The cause, for the log only.
    var detail: String?
    /// The suspension that the client is told about.
    var suspension: Suspension?

    init(_ code: ErrorCode, _ message: String) {
        self.code = code
        self.message = message
        status = code.status
        switch code {
        case .unauthorized:
            // RFC 9110 §11.6.1 requires a challenge. "Basic" would make browsers show their own password dialog.
            headers[.wwwAuthenticate] = "Bearer realm=\"parley\""
        case .unavailable:
            headers[.retryAfter] = "1"
        default:
            break
        }
    }

    static func badRequest(_ message: String) -> APIError { APIError(.badRequest, message) }

    static var unknownPath: APIError { APIError(.notFound, "no such path") }

    /// An address has reached its maximum of concurrent requests.
    static func tooManyRequests(limit: Int) -> APIError {
        var error = APIError(
            .rateLimited, "this address has \(limit) open requests on this node, which is the limit")
        error.headers[.retryAfter] = "2"
        return error
    }

    static func `internal`(_ detail: String) -> APIError {
        APIError(MessagingError.failed(cause: detail))
    }

    /// The path exists, but does not support the method. The code is `bad_request`, since the protocol has no specific one.
    static func methodNotAllowed(allowed: [HTTPRequest.Method]) -> APIError {
        let list = allowed.map(\.rawValue).sorted().joined(separator: ", ")
        var error = APIError(.badRequest, "method not allowed; allowed are \(list)")
        error.status = .methodNotAllowed
        error.headers[.allow] = list
        return error
    }

    var response: Response {
        var fields: [(String, JSONTree)] = [("code", .text(code.rawValue)), ("message", .text(message))]
        if let suspension {
            if let until = suspension.until { fields.append(("until_ms", .integer(until))) }
            if let reason = suspension.reason { fields.append(("reason", .text(reason))) }
        }
        var response = Response.json(.ordered([("error", .ordered(fields))]), status: status)
        for field in headers { response.headers.append(field) }
        return response
    }
}
