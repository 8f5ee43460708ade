import ParleyAccounts
package import ParleyModel

extension StateChanges {
    /// Makes a user, as an operator or a back end wants; the same one again changes nothing.
    /// - Parameters:
    ///   - id: an id of the caller's; one is made if it is `nil` or empty.
    ///   - password: `nil` or empty: none, so no login by one.
    ///   - origin: who makes it; that of a user who is there already stays.
    /// - Throws: `invalid`; `conflict` if the name or the id is another user's; `unavailable`.
    package func createUser(
        named name: String, id: String?, password: String?, origin: AccountOrigin
    ) async throws(MessagingError) -> (user: User, isNew: Bool) {
        let (user, outcome) = try await commit {
            let user = try NewAccount(name: name, id: id, clock: clock).user
            var passwordHash: String?
            if let password, !password.isEmpty { passwordHash = try await hash(password) }
            let record = ImportRecord.user(user, passwordHash: passwordHash)
            return (user, try await accounts.importRecords([record], origin: origin, at: clock.milliseconds).first)
        }
        switch outcome {
        case .added?:
            directory.forget(user: user)
            return (user, true)
        case .refused(.nameTaken)?:
            throw .conflict("the username is taken")
        case .refused(.idTaken)?: throw .conflict("the id is another user's")
        case .refused(.unstorable)?: throw .invalid("the username cannot be stored")
        default: return (user, false)
        }
    }
}
