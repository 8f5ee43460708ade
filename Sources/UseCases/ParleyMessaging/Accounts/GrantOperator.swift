import ParleyAccounts
package import ParleyModel

extension Messaging {
    /// Grants or revokes operator rights, whatever the user's name. Takes effect with the next request, on every node.
    /// - Returns: Whether anything changed.
    /// - Throws: `notFound` if the user is unknown or erased; `forbidden` for an operator by a JWT claim, and for one who
    ///   would revoke their own rights; `unavailable`.
    package func setOperator(
        _ isOperator: Bool, of user: User, by requester: Operator
    ) async throws(MessagingError) -> Bool {
        // The right is the token's, and must not outlast it.
        guard requester.origin != .jwt else {
            throw .forbidden("operators by a JWT claim cannot change who is an operator")
        }
        // The operator could not undo it.
        guard isOperator || requester.author != user.id else {
            throw .forbidden("operators cannot revoke their own rights")
        }
        let changed = try await commit {
            try await ports.state.setOperator(
                isOperator, of: user.id, by: requester.actor, at: clock.milliseconds
            ).value
        }
        guard let changed else { throw MessagingError.noUser }
        if changed { notify(.changed, user.id) }
        return changed
    }
}
