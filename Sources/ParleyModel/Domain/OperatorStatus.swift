/// What an account's operator rights hang on, as of one instant.
package struct OperatorStatus: Hashable, Sendable {
    /// `parley admin grant-operator` has made the user an operator, under whatever name.
    package var isGranted: Bool
    /// `nil`: not known.
    package var origin: AccountOrigin?

    package init(isGranted: Bool, origin: AccountOrigin?) {
        self.isGranted = isGranted
        self.origin = origin
    }

    /// Whether the user is an operator. An account of unknown origin is none by its name: it may be a stranger's.
    /// - Parameter isNamed: the account has a name of `auth.admins`.
    package func isOperator(byName isNamed: Bool) -> Bool {
        isGranted || isNamed && origin?.isOwn == true
    }
}
