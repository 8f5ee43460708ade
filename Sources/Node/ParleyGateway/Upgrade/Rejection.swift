import NIOCore
import NIOHTTP1
import ParleyAccounts
import ParleyJSON
import ParleyModel
import ParleyWire

/// The error of a rejected handshake: an HTTP response before the upgrade, never 101 and then a close (PROTOCOL §1).
struct Rejection: Error, Hashable, Sendable {
    let status: HTTPResponseStatus
    /// One of PROTOCOL's error codes.
    let code: String
    let message: String
    /// Seconds for `Retry-After`.
    let retryAfter: Int?
    /// The suspension of the user, whose fields the client gets.
    var suspension: Suspension?

    private init(_ status: HTTPResponseStatus, _ code: String, _ message: String, retryAfter: Int? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    static func badRequest(_ message: String) -> Rejection {
        Rejection(.badRequest, "bad_request", message)
    }

    /// The response names the allowed method (RFC 9110 §15.5.6).
    static let wrongMethod = Rejection(
        .methodNotAllowed, "bad_request", "method not allowed; a WebSocket is opened by GET")

    static let upgradeRequired = Rejection(
        .upgradeRequired, "bad_request", "this path is a WebSocket; the header Upgrade must list websocket")

    static let draining = Rejection(
        .serviceUnavailable, "unavailable", "this node is draining; connect to another", retryAfter: 1)

    /// The response names the supported version (RFC 6455 §4.4).
    static let badVersion = badRequest("the header Sec-WebSocket-Version must be 13")

    /// Too many handshakes wait for their decision, or this one took too long.
    static let undecided = Rejection(
        .serviceUnavailable, "unavailable", "this node is too busy; try again later", retryAfter: 5)

    /// The database is not available.
    static let noMemberships = Rejection(
        .serviceUnavailable, "unavailable", "memberships cannot be read at the moment", retryAfter: 2)

    /// The bus or the log is not available.
    static let noEvents = Rejection(
        .serviceUnavailable, "unavailable", "events cannot be received at the moment", retryAfter: 2)

    /// The user was erased, or the credentials were revoked during the handshake.
    static let invalidCredentials = Rejection(.unauthorized, "unauthorized", "these credentials are no longer valid")

    init(_ failure: AuthFailure) {
        switch failure {
        case .unauthorized(let message): self.init(.unauthorized, "unauthorized", message)
        case .forbidden(let message): self.init(.forbidden, "forbidden", message)
        case .suspended(let suspension): self.init(suspension)
        case .rateLimited(let seconds):
            self.init(.tooManyRequests, "rate_limited", "too many failed logins", retryAfter: seconds)
        case .unavailable(let message): self.init(.serviceUnavailable, "unavailable", message, retryAfter: 2)
        }
    }

    private init(_ suspension: Suspension) {
        self.init(.forbidden, "suspended", suspension.explanation)
        self.suspension = suspension
    }

    /// An API key without a user cannot open a socket.
    static let noUser = Rejection(
        .unauthorized, "unauthorized", "X-Parley-User is missing; an API key opens a socket for the user it names")

    init(_ rejection: ConnectionCounts.Rejection) {
        switch rejection {
        case .tooManyOfUser(let limit):
            self.init(
                .tooManyRequests, "rate_limited", "this user has \(limit) sockets on this node, which is the limit",
                retryAfter: 10)
        case .tooManyFromAddress(let limit):
            self.init(
                .tooManyRequests, "rate_limited",
                "this address has \(limit) sockets on this node, which is the limit", retryAfter: 10)
        case .tooManyRequests(let limit):
            self.init(
                .tooManyRequests, "rate_limited",
                "this address has \(limit) open requests on this node, which is the limit", retryAfter: 2)
        case .nodeFull(let limit):
            self.init(
                .serviceUnavailable, "unavailable", "this node has \(limit) sockets, which is the limit",
                retryAfter: 10)
        }
    }

    /// The response head for a body of this length; the connection closes after it.
    func head(bodyLength: Int, requestID: String) -> HTTPResponseHead {
        var headers = HTTPHeaders([
            ("Content-Type", "application/json"),
            ("Content-Length", String(bodyLength)),
            ("Connection", "close"),
            ("X-Request-Id", requestID),
        ])
        if let retryAfter { headers.add(name: "Retry-After", value: String(retryAfter)) }
        switch status {
        case .methodNotAllowed: headers.add(name: "Allow", value: "GET")
        case .upgradeRequired: headers.add(name: "Upgrade", value: "websocket")
        case .unauthorized: headers.add(name: "WWW-Authenticate", value: "Bearer")
        case .badRequest where self == .badVersion: headers.add(name: "Sec-WebSocket-Version", value: "13")
        default: break
        }
        return HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    }

    /// `{"error":{"code","message"}}`
    var body: ByteBuffer {
        var json = JSONWriter(capacity: 128)
        json.beginObject()
        json.key("error")
        json.beginObject()
        json.member("code", code)
        json.member("message", message)
        if let until = suspension?.until { json.member("until_ms", until) }
        if let reason = suspension?.reason { json.member("reason", reason) }
        json.endObject()
        json.endObject()
        return json.buffer
    }
}
