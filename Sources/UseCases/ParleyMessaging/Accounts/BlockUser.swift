import ParleyAccounts
package import ParleyModel

/// Blocks between users.
extension Messaging {
    /// Lets the caller block a user. All nodes apply the block within a second. A block that exists keeps its date.
    /// - Throws: `notFound` for an unknown user; `invalid` for the caller; `conflict` above `UserBlocks.most` blocks;
    ///   `rateLimited`, `unavailable`.
    package func block(_ reference: UserReference, by caller: Caller) async throws(MessagingError) -> BlockRecord {
        try await budgets.charge(caller.user.id)
        let other = try await blockable(reference, by: caller)
        let outcome = try await commit {
            try await ports.state.block(other.id, by: caller.user.id, at: clock.milliseconds)
        }
        switch outcome {
        case .blocked(let since):
            announceBlock(between: caller.user.id, other.id)
            return BlockRecord(user: other, since: since)
        case .unknownUser: throw .noUser
        case .tooMany: throw .conflict("you block \(UserBlocks.most) users, which is the limit")
        }
    }

    /// Ends a block; it succeeds without a block, too.
    /// - Throws: `notFound` for an unknown user; `invalid` for the caller; `rateLimited`, `unavailable`.
    package func unblock(_ reference: UserReference, by caller: Caller) async throws(MessagingError) {
        try await budgets.charge(caller.user.id)
        let other = try await blockable(reference, by: caller)
        let wasBlocked = try await commit { try await ports.state.unblock(other.id, by: caller.user.id) }
        if wasBlocked { announceBlock(between: caller.user.id, other.id) }
    }

    /// Returns the users that the caller blocks, in the byte order of their ids.
    /// - Throws: `unavailable`.
    package func blocks(of caller: Caller) async throws(MessagingError) -> [BlockRecord] {
        try await read { try await ports.accounts.blocks(of: caller.user.id) }
    }

    private func blockable(_ reference: UserReference, by caller: Caller) async throws(MessagingError) -> User {
        guard let other = try await commit({ try await user(reference) }) else { throw .noUser }
        guard other.id != caller.user.id else { throw .invalid("you cannot block yourself") }
        return other
    }

    /// Has the nodes with sockets of the two read what concerns them again.
    private func announceBlock(between one: UserID, _ other: UserID) {
        for user in [one, other] { ports.bus.publish(.changed, to: user) }
    }
}
