/// The way an account was created. It never changes.
package enum AccountOrigin: String, CaseIterable, Hashable, Sendable {
    /// An operator created it, over `/v1/admin` or in the console.
    case `operator`
    /// A back end created it with an API key, possibly in an import.
    case apiKey = "api_key"
    /// `parley admin` created it.
    case command
    /// The user signed up.
    case signUp = "sign_up"
    /// The account was created for the first JWT with an unknown `sub`, or at `/v1/admin` for a JWT whose claim grants operator rights.
    case jwt
    /// The account was created for the first Django session with an unknown username.
    case django

    /// Whether users choose the name here. Names of any other origin come from another system or an operator.
    package var isChosen: Bool { self == .signUp }

    /// Whether the people who run this server chose the name. Names of any other origin may have been chosen by anyone.
    package var isOwn: Bool {
        switch self {
        case .operator, .apiKey, .command: true
        case .signUp, .jwt, .django: false
        }
    }
}

/// The stored facts that decide whether an account has operator rights, read at one instant.
package struct OperatorStatus: Hashable, Sendable {
    /// Whether `parley admin grant-operator` was used for this account. Independent of its name.
    package var isGranted: Bool
    /// `nil` if the origin is unknown.
    package var origin: AccountOrigin?

    package init(isGranted: Bool, origin: AccountOrigin?) {
        self.isGranted = isGranted
        self.origin = origin
    }

    /// Whether the user is an operator. A name in `auth.admins` grants nothing to an account of unknown origin, since a
    /// stranger may have taken the name.
    /// - Parameter isNamed: whether the account's name is in `auth.admins`.
    package func isOperator(byName isNamed: Bool) -> Bool {
        isGranted || isNamed && origin?.isOwn == true
    }
}
