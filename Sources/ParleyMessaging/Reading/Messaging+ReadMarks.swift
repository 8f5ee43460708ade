package import ParleyModel

/// Read cursors.
extension Messaging {
    /// Moves a read cursor, waits until it is stored, and charges the budget. Sockets use `ReadMarker`.
    /// - Parameter seq: the new cursor, which may be lower than the present one; `nil`, or a seq above the end, means
    ///   the end.
    /// - Returns: the new cursor.
    package func markRead(
        _ thread: ThreadID, by user: UserID, through seq: Int64?
    ) async throws(MessagingError) -> Int64 {
        try await budgets.charge(user, .reads)
        let end: Int64
        do {
            end = try await ports.log.head(of: thread)?.position.seq ?? 0
        } catch {
            throw MessagingError(error)
        }
        let kept = min(seq ?? end, end)
        do {
            try await ports.store.markRead(thread, by: user, through: kept)
        } catch {
            throw MessagingError(error)
        }
        ports.bus.publish(.read(user, seq: kept, date: clock.seconds), in: thread)
        return kept
    }

    /// Moves the read cursor of a member for a socket; never blocks. See `ReadMarker.markRead`.
    package func markRead(
        _ thread: ThreadID, through seq: Int64?, _ budgets: UserBudgets, notifiesMembers: Bool = true,
        completion: @escaping ReadMarker.Completion
    ) {
        reads.markRead(thread, through: seq, budgets, notifiesMembers: notifiesMembers, completion: completion)
    }
}
