import HTTPTypes
import Hummingbird
import ParleyJSON

/// Why a request failed; encoded as `{"error":{"code","message"}}`.
struct APIError: Error {
    /// The stable error codes, each with its usual status.
    enum Code: String, Sendable {
        case badRequest = "bad_request"
        case unauthorized
        case forbidden
        case notAMember = "not_a_member"
        case notFound = "not_found"
        case conflict
        case tooLarge = "too_large"
        case rateLimited = "rate_limited"
        case unavailable
        /// A bug or a damaged database, which the client cannot solve.
        case `internal`

        var status: HTTPResponse.Status {
            switch self {
            case .badRequest: .badRequest
            case .unauthorized: .unauthorized
            case .forbidden, .notAMember: .forbidden
            case .notFound: .notFound
            case .conflict: .conflict
            case .tooLarge: .contentTooLarge
            case .rateLimited: .tooManyRequests
            case .unavailable: .serviceUnavailable
            case .internal: .internalServerError
            }
        }
    }

    var code: Code
    /// The error and the rule, for the client; no secrets.
    var message: String
    var status: HTTPResponse.Status
    var headers: HTTPFields = [:]
    /// The cause, for the log only.
    var detail: String?

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
        status = code.status
        switch code {
        case .unauthorized:
            // RFC 9110 §11.6.1 requires a challenge; "Basic" would make browsers show their own password dialog.
            headers[.wwwAuthenticate] = "Bearer realm=\"parley\""
        case .unavailable:
            headers[.retryAfter] = "1"
        default:
            break
        }
    }

    static func badRequest(_ message: String) -> APIError { APIError(.badRequest, message) }

    static var unknownPath: APIError { APIError(.notFound, "no such path") }

    static func rateLimited(retryAfterSeconds seconds: Int) -> APIError {
        var error = APIError(.rateLimited, "too many attempts; try again in \(max(1, seconds)) s")
        error.headers[.retryAfter] = String(max(1, seconds))
        return error
    }

    /// An address has reached its maximum of concurrent requests.
    static func tooManyRequests(limit: Int) -> APIError {
        var error = APIError(
            .rateLimited, "this address has \(limit) open requests on this node, which is the limit")
        error.headers[.retryAfter] = "2"
        return error
    }

    static func `internal`(_ detail: String) -> APIError {
        var error = APIError(.internal, "internal server error; the log has the request id")
        error.detail = detail
        return error
    }

    /// The path exists, but not for this method. The code is `bad_request`, since the protocol has no specific one.
    static func methodNotAllowed(allowed: [HTTPRequest.Method]) -> APIError {
        let list = allowed.map(\.rawValue).sorted().joined(separator: ", ")
        var error = APIError(.badRequest, "method not allowed; allowed are \(list)")
        error.status = .methodNotAllowed
        error.headers[.allow] = list
        return error
    }

    var response: Response {
        var response = Response.json(
            .ordered([("error", .ordered([("code", .text(code.rawValue)), ("message", .text(message))]))]),
            status: status)
        for field in headers { response.headers.append(field) }
        return response
    }
}
