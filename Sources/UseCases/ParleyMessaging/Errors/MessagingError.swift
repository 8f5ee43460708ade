package import ParleyModel

/// The reason that a call was rejected. This is the only table of errors; listeners add what their transport needs, such as a
/// frame or an HTTP status. The texts tell the client what was wrong and what is allowed. They contain no secrets.
package enum MessagingError: Error, Hashable, Sendable {
    /// A missing or invalid field.
    case invalid(String)
    /// A text or list above its limit.
    case tooLarge(String)
    /// No such thread, message, user or member, or the message was deleted.
    case notFound(String)
    /// The thread exists, but the caller is not a member.
    case notAMember
    /// Missing or invalid credentials.
    case unauthorized(String)
    /// The caller's role or credentials do not allow it.
    case forbidden(String)
    /// An operator has suspended the caller.
    case suspended(Suspension)
    /// A `client_id`, title, name or id that is already used for something else.
    case conflict(String)
    /// A cursor of events whose place the database does not have.
    case rolledBack(String)
    /// Over a budget.
    case rateLimited(afterMilliseconds: Int64)
    /// Too early for the slow mode of a room, which allows one message in so many seconds.
    case slowMode(seconds: Int64, afterMilliseconds: Int64)
    /// The log, a database or Redis is unavailable. The command may still have taken effect; repeating it is safe.
    case unavailable(String, cause: String? = nil)
    /// A bug or a damaged database, which the client cannot solve.
    case failed(cause: String)

    static let noUser = MessagingError.notFound("no such user")
    static let noThread = MessagingError.notFound("no such thread")
}

/// The machine-readable code of an error, the same on sockets and over REST.
package enum ErrorCode: String, CaseIterable, Hashable, Sendable {
    case badRequest = "bad_request"
    case unauthorized
    case forbidden
    case notAMember = "not_a_member"
    case suspended
    case notFound = "not_found"
    case conflict
    /// Only over REST, for the cursor of a stream of events.
    case rolledBack = "rolled_back"
    case tooLarge = "too_large"
    case rateLimited = "rate_limited"
    case unavailable
    /// Only over REST; sockets report `unavailable`.
    case `internal`
}

extension MessagingError {
    package var code: ErrorCode {
        switch self {
        case .invalid: .badRequest
        case .tooLarge: .tooLarge
        case .notFound: .notFound
        case .notAMember: .notAMember
        case .unauthorized: .unauthorized
        case .forbidden: .forbidden
        case .suspended: .suspended
        case .conflict: .conflict
        case .rolledBack: .rolledBack
        case .rateLimited, .slowMode: .rateLimited
        case .unavailable: .unavailable
        case .failed: .internal
        }
    }

    /// The error and the rule, as a text for the client.
    package var message: String {
        switch self {
        case .invalid(let text), .tooLarge(let text), .notFound(let text), .unauthorized(let text),
            .forbidden(let text), .conflict(let text), .rolledBack(let text), .unavailable(let text, _):
            text
        case .suspended(let suspension): suspension.explanation
        case .notAMember: "you are not a member of this thread"
        case .rateLimited(let milliseconds):
            "too many attempts; try again in \(max(1, (milliseconds + 999) / 1000)) s"
        case .slowMode(let seconds, let milliseconds):
            "slow mode: one message in \(seconds) s; try again in \(max(1, (milliseconds + 999) / 1000)) s"
        case .failed: "internal server error; the server's log has the cause"
        }
    }

    /// The milliseconds after which to try again; `nil` if the same call will not succeed later.
    package var retryAfterMilliseconds: Int64? {
        switch self {
        case .rateLimited(let milliseconds), .slowMode(_, let milliseconds): milliseconds
        case .unavailable, .failed: 500
        case .invalid, .tooLarge, .notFound, .notAMember, .unauthorized, .forbidden, .suspended, .conflict, .rolledBack:
            nil
        }
    }

    /// Information for operators, for the log only.
    package var cause: String? {
        switch self {
        case .unavailable(_, let cause): cause
        case .failed(let cause): cause
        case .invalid, .tooLarge, .notFound, .notAMember, .unauthorized, .forbidden, .suspended, .conflict, .rolledBack,
            .rateLimited, .slowMode:
            nil
        }
    }
}
