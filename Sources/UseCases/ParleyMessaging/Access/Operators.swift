package import Logging
package import ParleyAccounts
package import ParleyModel

/// The operator who makes a request. Only `Operators` makes one from credentials, and every action that is reserved for
/// operators requires it.
package struct Operator: Sendable {
    /// The operator's name for the log.
    package let name: String
    /// The origin of accounts that the operator creates.
    package let origin: AccountOrigin
    /// The author of the operator's member changes, who is charged for them. `nil` for a back end and for a command, whose
    /// changes have the member as their author.
    package let author: UserID?
    /// The operator in the audit log.
    package let actor: AuditActor
    /// The session of the request; `nil` for other credentials.
    package let session: TokenHash?

    /// An operator for commands that run on the database of the cluster. Not for listeners.
    package static let commandLine = Operator(
        name: "parley admin", origin: .command, author: nil, actor: .command, session: nil)
}

/// Authorises operators (docs/decisions/027-operators-are-accounts.md). An operator is
///
/// - an API key that acts for no user;
/// - a JWT with the claim that a setting names; the rights belong to the token, not to the account;
/// - a user with granted rights (`parley admin grant-operator`);
/// - a user named in `auth.admins`, if the account is of a trusted origin (`AccountOrigin.isOwn`).
///
/// The facts behind the last two are read for each request. A Django session never grants operator rights, since Parley does
/// not control names there.
package struct Operators: Sendable {
    private let accounts: any AccountStore
    private let admins: Set<String>

    /// - Parameter admins: The names of users in `auth.admins`.
    package init(_ messaging: Messaging, admins: Set<String>) {
        accounts = messaging.ports.accounts
        self.admins = admins
    }

    /// - Throws: `forbidden` for a user who is not an operator; `unavailable`.
    package func require(_ principal: Principal, logger: Logger) async throws(MessagingError) -> Operator {
        switch principal {
        case .service(let name):
            return Operator(name: "key:\(name)", origin: .apiKey, author: nil, actor: .key(name), session: nil)
        case .user(let identity):
            if !identity.isOperatorByCredential { try await require(identity, logger) }
            return Operator(
                name: identity.user.name, origin: identity.isOperatorByCredential ? .jwt : .operator,
                author: identity.user.id, actor: .operator(identity.user.id), session: identity.session)
        }
    }

    private func require(_ identity: Identity, _ logger: Logger) async throws(MessagingError) {
        guard !identity.isForeign else { throw .forbidden("operators must log in to Parley, not to Django") }
        let status: OperatorStatus?
        do {
            status = try await accounts.operatorStatus(of: identity.user.id)
        } catch {
            throw MessagingError(error)
        }
        let isNamed = admins.contains(identity.user.name)
        if status?.isOperator(byName: isNamed) == true { return }
        guard isNamed else { throw .forbidden("only an API key or an operator may do this") }
        logger.notice(
            "the name is in auth.admins, but the origin of the account does not permit it",
            metadata: ["user": "\(identity.user.id)", "origin": "\(status?.origin?.rawValue ?? "unknown")"])
        throw .forbidden(
            "a name in auth.admins does not make this account an operator; use parley admin grant-operator")
    }
}
