import ParleyAccounts
package import ParleyModel

extension StateChanges {
    /// Makes a user an operator, or one no more, under whatever name. It counts from the next request on, on every node.
    /// - Returns: whether that changed anything.
    /// - Throws: `notFound` for a user who is unknown or erased; `unavailable`.
    package func setOperator(_ isOperator: Bool, of user: User) async throws(MessagingError) -> Bool {
        let changed = try await commit {
            try await store.setOperator(isOperator, of: user.id, at: clock.milliseconds).value
        }
        guard let changed else { throw Self.noUser }
        if changed { tell(.changed, user.id) }
        return changed
    }
}
