/// What went wrong, for a program; the same words as in REST.
package enum V1ErrorCode: String, CaseIterable, Hashable, Sendable {
    /// No command, or one with a wrong field, or one that may not come now.
    case badRequest = "bad_request"
    /// A text that is longer than allowed.
    case tooLarge = "too_large"
    case unknownCommand = "unknown_command"
    /// There is no such thread, message or user.
    case notFound = "not_found"
    /// The thread is there, and the user is not in it.
    case notAMember = "not_a_member"
    /// The user's role does not allow it.
    case forbidden
    /// A `client_id` was used before for something else, or a title is taken.
    case conflict
    case rateLimited = "rate_limited"
    /// Something that the command needs is away.
    case unavailable
    /// The credentials are not good, or those of another user.
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
