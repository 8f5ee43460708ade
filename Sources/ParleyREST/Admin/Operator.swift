import Hummingbird
package import ParleyAccounts
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

    /// In whose name a member comes or goes; `nil`: a back end does it in the member's own.
    var author: UserID? {
        switch self {
        case .apiKey: nil
        case .user(let user): user.id
        }
    }
}

/// Tells operators from others: an API key that acts for no user, or a user whom `auth.admins` names, by a login here: who
/// has which name in another system is not Parley's to know.
package struct Operators: Sendable {
    package let authenticator: Authenticator
    /// Names of users.
    package let admins: Set<String>

    package init(authenticator: Authenticator, admins: Set<String>) {
        self.authenticator = authenticator
        self.admins = admins
    }

    /// - Throws: what is wrong with the credentials; 403 for those of nobody who may use `/v1/admin`.
    func require(
        _ request: Request, _ context: RESTContext, changesState: Bool
    ) async throws(APIError) -> Operator {
        let principal: Principal
        do {
            principal = try await authenticator.authenticate(
                PresentedCredentials(request, context, changesState: changesState))
        } catch {
            throw APIError(error)
        }
        switch principal {
        case .service(let name): return .apiKey(name: name)
        case .user(let identity) where admins.contains(identity.user.name):
            guard !identity.isForeign else {
                throw APIError(.forbidden, "an administrator must have logged in here, not in Django")
            }
            return .user(identity.user)
        case .user: throw APIError(.forbidden, "only an API key or an administrator may do this")
        }
    }
}

extension RESTServices {
    var operators: Operators { Operators(authenticator: authenticator, admins: admin.admins) }

    func requireOperator(
        _ request: Request, _ context: RESTContext, changesState: Bool
    ) async throws(APIError) -> Operator {
        try await operators.require(request, context, changesState: changesState)
    }
}
