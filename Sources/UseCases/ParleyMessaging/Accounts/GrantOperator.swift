import ParleyAccounts
package import ParleyModel

extension Messaging {
    /// Grants or revokes operator rights, regardless of the user's name. Effective from the next request on, on every
    /// node.
    /// - Returns: whether anything changed.
    /// - Throws: `notFound` if the user is unknown or erased; `unavailable`.
    package func setOperator(
        _ isOperator: Bool, of user: User, by _: Operator
    ) async throws(MessagingError) -> Bool {
        let changed = try await commit {
            try await ports.state.setOperator(isOperator, of: user.id, at: clock.milliseconds).value
        }
        guard let changed else { throw MessagingError.noUser }
        if changed { notify(.changed, user.id) }
        return changed
    }
}
