/// The actors of the calls: the columns of the rights table.
///
/// `nonMember`, `invited`, `removed`, `banned`, `operator`, `revoked` and `erased` are no members of the thread
/// that a row is about; the four roles, `muted`, `blocked` and `suspended` are.
enum RightsActor: String, CaseIterable, Sendable {
    /// No credentials.
    case nobody
    /// A user who is no member.
    case nonMember = "non-member"
    /// A user whom the owner has invited.
    case invited
    /// A user whom an operator has removed from the thread.
    case removed
    /// A user who is banned from the thread.
    case banned
    /// A member who is muted.
    case muted
    /// A member whom the author blocks.
    case blocked
    case readOnly = "read_only"
    case member
    case moderator
    case owner
    /// A user who is an operator, and no member.
    case `operator`
    /// An API key that acts for no user.
    case apiKey = "API key"
    /// A session that an operator has ended.
    case revoked
    /// A JWT of a user who has been erased.
    case erased
    /// A JWT of a suspended owner.
    case suspended

    /// The role in the thread; `nil`: no member.
    var role: String? {
        switch self {
        case .readOnly, .member, .moderator, .owner: rawValue
        case .muted, .blocked: "member"
        case .suspended: "owner"
        case .nobody, .nonMember, .invited, .removed, .banned, .operator, .apiKey, .revoked, .erased: nil
        }
    }
}

/// The reply that an actor gets: the cells of the rights table.
enum RightsReply: Character, CaseIterable, Sendable {
    /// The command is carried out: a status below 300, an `ack` or another answer that is no error.
    case yes = "y"
    case unauthorized = "U"
    case forbidden = "F"
    case notAMember = "N"
    case notFound = "M"
    case badRequest = "B"
    case suspended = "S"
    /// `resume` is answered, with `denied` for the thread.
    case denied = "D"
    /// As `denied`, with `gone`.
    case gone = "G"

    /// As the documents say it.
    var text: String {
        switch self {
        case .yes: "yes"
        case .unauthorized: "`unauthorized`"
        case .forbidden: "`forbidden`"
        case .notAMember: "`not_a_member`"
        case .notFound: "`not_found`"
        case .badRequest: "`bad_request`"
        case .suspended: "`suspended`"
        case .denied: "`denied`"
        case .gone: "`gone`"
        }
    }

    /// - Parameter code: of an error, in REST and on sockets alike.
    init?(code: String) {
        switch code {
        case "unauthorized": self = .unauthorized
        case "forbidden": self = .forbidden
        case "not_a_member": self = .notAMember
        case "not_found": self = .notFound
        case "suspended": self = .suspended
        case "bad_request": self = .badRequest
        default: return nil
        }
    }
}
