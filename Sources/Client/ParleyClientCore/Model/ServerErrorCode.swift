/// The error codes of the server.
public enum ServerErrorCode: String, Hashable, Sendable {
    /// A field is missing or invalid.
    case badRequest = "bad_request"
    /// A text exceeds the limit.
    case tooLarge = "too_large"
    /// The server does not know the command.
    case unknownCommand = "unknown_command"
    /// The thread, message or user does not exist.
    case notFound = "not_found"
    /// The user is not a member of the thread.
    case notAMember = "not_a_member"
    /// The user's role does not allow the operation.
    case forbidden
    /// The `client_id` or the title is already used.
    case conflict
    /// A rate limit is exceeded.
    case rateLimited = "rate_limited"
    /// The log or a database is unavailable.
    case unavailable
    /// The credentials are invalid.
    case unauthorized
    /// An unknown code.
    case other
}
