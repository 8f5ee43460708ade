import ParleyAccounts
package import ParleyModel

extension Messaging {
    /// Creates a user for an operator or a back end. Idempotent.
    /// - Parameters:
    ///   - id: An id chosen by the caller. If `nil` or empty, an id is generated.
    ///   - password: The password. If `nil` or empty, password login is impossible.
    /// - Throws: `invalid`; `conflict` if the name or the id belongs to another user; `unavailable`.
    package func createUser(
        named name: String, id: String?, password: String?, by requester: Operator
    ) async throws(MessagingError) -> (user: User, isNew: Bool) {
        let (user, outcome) = try await commit {
            let user = try NewAccount(name: name, id: id, clock: clock).user
            var passwordHash: String?
            if let password, !password.isEmpty { passwordHash = try await hash(password) }
            let record = ImportRecord.user(user, passwordHash: passwordHash)
            return (
                user,
                try await ports.accounts.importRecords(
                    [record], origin: requester.origin, by: requester.actor, at: clock.milliseconds
                ).first
            )
        }
        switch outcome {
        case .added?:
            ports.directory.forget(user: user)
            return (user, true)
        case .refused(.nameTaken)?:
            throw .conflict("the username is taken")
        case .refused(.idTaken)?: throw .conflict("the id belongs to another user")
        case .refused(.unstorable)?: throw .invalid("the username cannot be stored")
        default: return (user, false)
        }
    }
}
