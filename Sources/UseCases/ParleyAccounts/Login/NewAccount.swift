package import ParleyModel

/// A user created by an operator or a back end, at the command line or by REST.
package struct NewAccount: Hashable, Sendable {
    package let user: User

    /// - Parameters:
    ///   - name: is normalised.
    ///   - id: generated if `nil` or empty.
    /// - Throws: `badInput`.
    package init(name: String, id: String?, clock: WallClock) throws(AccountError) {
        guard let name = UsernameRules.normalized(name) else { throw .badInput(UsernameRules.explanation) }
        guard let id, !id.isEmpty else {
            user = User(id: UserID(UUIDv7(clock)), name: name)
            return
        }
        guard let id = UserID(id) else {
            throw .badInput("id is not allowed; allowed are 1 to 90 of A-Z a-z 0-9 . _ -")
        }
        user = User(id: id, name: name)
    }
}
