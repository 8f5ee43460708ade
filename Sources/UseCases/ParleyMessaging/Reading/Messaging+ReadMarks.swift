package import ParleyModel

/// The new position of a read cursor.
package enum ReadTarget: Hashable, Sendable {
    /// A seq, which may be lower than the current one. A seq above the end of the log means the end.
    case seq(Int64)
    /// The end of the log.
    case end
    /// The end of the stored log. A cursor beyond it remains there.
    case storedEnd
}

extension Messaging {
    /// Moves a member's read cursor, waits until it is stored, notifies the members, and charges the budget. For REST; sockets
    /// use the function that never blocks.
    /// - Returns: The new cursor; 0 in a thread without events.
    package func markRead(
        _ thread: ThreadID, by caller: Caller, to target: ReadTarget
    ) async throws(MessagingError) -> Int64 {
        let user = caller.user
        try await budgets.charge(user.id, .reads)
        let seq = try await read { try await keep(thread, user, target) }
        ports.bus.publish(.read(user.id, seq: seq, date: clock.seconds), in: thread)
        return seq
    }

    private func keep(_ thread: ThreadID, _ user: User, _ target: ReadTarget) async throws -> Int64 {
        if target == .storedEnd {
            try await ports.store.markRead(thread, by: user.id, through: nil)
            return try await ports.store.thread(thread, of: user.id)?.readSeq ?? 0
        }
        var seq = try await ports.log.head(of: thread)?.position.seq ?? 0
        if case .seq(let wanted) = target { seq = min(wanted, seq) }
        try await ports.store.markRead(thread, by: user.id, through: seq)
        return seq
    }

    /// Moves the read cursor of a member for a socket. Never blocks. See `ReadMarker.markRead`.
    package func markRead(
        _ thread: ThreadID, through seq: Int64?, _ budgets: UserBudgets, notifiesMembers: Bool = true,
        completion: @escaping ReadMarker.Completion
    ) {
        reads.markRead(thread, through: seq, budgets, notifiesMembers: notifiesMembers, completion: completion)
    }
}
