import Hummingbird
import ParleyAccounts
import ParleyModel

/// Who administrates.
enum Operator: Sendable {
    case apiKey(name: String)
    case user(User)

    /// For the log.
    var name: String {
        switch self {
        case .apiKey(let name): "key:\(name)"
        case .user(let user): user.name
        }
    }

    /// In whose name a member comes or goes; a back end does it in the member's own.
    func author(for member: User) -> UserID {
        switch self {
        case .apiKey: member.id
        case .user(let user): user.id
        }
    }
}

extension RESTServices {
    /// Whoever may use `/v1/admin`: an API key that acts for no user, or a user whom `auth.admins` names, by a login here:
    /// who has which name in another system is not Parley's to know.
    func requireOperator(
        _ request: Request, _ context: RESTContext, changesState: Bool
    ) async throws(APIError) -> Operator {
        switch try await principal(request, context, changesState: changesState) {
        case .service(let name): return .apiKey(name: name)
        case .user(let identity) where admin.admins.contains(identity.user.name):
            guard !identity.isForeign else {
                throw APIError(.forbidden, "an administrator must have logged in here, not in Django")
            }
            return .user(identity.user)
        case .user: throw APIError(.forbidden, "only an API key or an administrator may do this")
        }
    }
}
