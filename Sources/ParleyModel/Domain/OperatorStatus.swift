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
