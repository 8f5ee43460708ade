/// The way in which an account was created. It never changes.
package enum AccountOrigin: String, CaseIterable, Hashable, Sendable {
    /// An operator created it, over `/v1/admin` or in the console.
    case `operator`
    /// A back end created it with an API key, imports included.
    case apiKey = "api_key"
    /// `parley admin` created it.
    case command
    /// The user signed up.
    case signUp = "sign_up"
    /// The first JWT with an unknown `sub`, or one whose claim makes its bearer an operator, at `/v1/admin`.
    case jwt
    /// The first Django session with an unknown username.
    case django

    /// Whether the user chose the name here. Names of any other origin come from another system or an operator.
    package var isChosen: Bool { self == .signUp }

    /// Whether the name was chosen by the people who run this server; names of any other origin may have been chosen by
    /// anyone.
    package var isOwn: Bool {
        switch self {
        case .operator, .apiKey, .command: true
        case .signUp, .jwt, .django: false
        }
    }
}

/// The stored facts that decide whether an account has operator rights, read at one instant.
package struct OperatorStatus: Hashable, Sendable {
    /// `parley admin grant-operator` was used for this account; independent of its name.
    package var isGranted: Bool
    /// `nil` if unknown.
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
