/// The machine-readable error code, the same as in REST.
package enum V1ErrorCode: String, CaseIterable, Hashable, Sendable {
    /// Not a command, a command with an invalid field, or one that is not allowed now.
    case badRequest = "bad_request"
    /// A text above its maximum length.
    case tooLarge = "too_large"
    case unknownCommand = "unknown_command"
    /// No such thread, message or user.
    case notFound = "not_found"
    /// The thread exists, but the user is not a member.
    case notAMember = "not_a_member"
    /// The user's role does not allow it.
    case forbidden
    /// A `client_id` was used for something else, or a title is taken.
    case conflict
    case rateLimited = "rate_limited"
    /// A backend of the command is unavailable.
    case unavailable
    /// The credentials are invalid, or belong to another user.
    case unauthorized

    /// Whether the same command may succeed later.
    package var isRetryable: Bool {
        switch self {
        case .rateLimited, .unavailable: true
        case .badRequest, .tooLarge, .unknownCommand, .notFound, .notAMember, .forbidden, .conflict, .unauthorized:
            false
        }
    }
}
