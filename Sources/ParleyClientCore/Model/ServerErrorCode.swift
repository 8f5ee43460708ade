/// The codes of the server's errors.
public enum ServerErrorCode: String, Hashable, Sendable {
    /// A field is missing or wrong.
    case badRequest = "bad_request"
    /// A text over the limit.
    case tooLarge = "too_large"
    /// The server does not know this command.
    case unknownCommand = "unknown_command"
    /// No such thread, message or user.
    case notFound = "not_found"
    /// The user is not a member of the thread.
    case notAMember = "not_a_member"
    /// The user's role does not allow it.
    case forbidden
    /// The `client_id` or the title is taken.
    case conflict
    /// Over a budget.
    case rateLimited = "rate_limited"
    /// The log or a database is unavailable.
    case unavailable
    /// Invalid credentials.
    case unauthorized
    /// A code that this version does not recognise.
    case other
}
