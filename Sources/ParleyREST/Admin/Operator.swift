import Hummingbird
import Logging
package import ParleyAccounts
import ParleyMessaging
package import ParleyModel

/// The operator who makes a request.
enum Operator: Sendable {
    case apiKey(name: String)
    case user(User)
    /// By a claim of a JWT: the rights belong to the token, not to the account.
    case bearer(User)

    /// For the log.
    var name: String {
        switch self {
        case .apiKey(let name): "key:\(name)"
        case .user(let user), .bearer(let user): user.name
        }
    }

    /// The origin of accounts created by them.
    var origin: AccountOrigin {
        switch self {
        case .apiKey: .apiKey
        case .user: .operator
        case .bearer: .jwt
        }
    }

    /// The author of their member changes; `nil` for a back end, which acts in the member's own name.
    var author: UserID? {
        switch self {
        case .apiKey: nil
        case .user(let user), .bearer(let user): user.id
        }
    }
}

/// Authorises operators (docs/decisions/027-operators-are-accounts.md). An operator is
///
/// - an API key that acts for no user;
/// - a JWT with the claim that a setting names;
/// - a user with granted rights (`parley admin grant-operator`);
/// - a user named in `auth.admins`, if the account is of a trusted origin (`AccountOrigin.isOwn`).
///
/// The facts behind the last two are read for each request. A Django session never grants operator rights, since Parley
/// has no control over names there.
package struct Operators: Sendable {
    package let authenticator: Authenticator
    package let accounts: any AccountStore
    /// Names of users.
    package let admins: Set<String>

    package init(authenticator: Authenticator, accounts: any AccountStore, admins: Set<String>) {
        self.authenticator = authenticator
        self.accounts = accounts
        self.admins = admins
    }

    /// - Throws: the authentication error; 403 for a user who may not use `/v1/admin`.
    func require(_ call: RequestCallers.Call) async throws(APIError) -> Operator {
        switch try await authenticator.principal(of: call) {
        case .service(let name): return .apiKey(name: name)
        case .user(let identity):
            if identity.isOperatorByCredential { return .bearer(identity.user) }
            try await require(identity, call.context)
            return .user(identity.user)
        }
    }

    private func require(_ identity: Identity, _ context: RESTContext) async throws(APIError) {
        guard !identity.isForeign else {
            throw APIError(.forbidden, "operators must log in to Parley, not to Django")
        }
        let readState: OperatorStatus?
        do {
            readState = try await accounts.operatorStatus(of: identity.user.id)
        } catch {
            throw APIError(error)
        }
        let isNamed = admins.contains(identity.user.name)
        if readState?.isOperator(byName: isNamed) == true { return }
        guard isNamed else { throw APIError(.forbidden, "only an API key or an operator may do this") }
        context.logger.notice(
            "the name is in auth.admins, but the origin of the account does not permit it",
            metadata: ["user": "\(identity.user.id)", "origin": "\(readState?.origin?.rawValue ?? "unknown")"])
        throw APIError(
            .forbidden, "a name in auth.admins does not make this account an operator; use parley admin grant-operator")
    }
}

extension RESTServices {
    var operators: Operators {
        Operators(authenticator: auth.authenticator, accounts: ports.accounts, admins: admin.admins)
    }
}
