import ParleyModel

/// A former member on this node who has not received their own `left` event.
struct PendingLeave {
    /// A new membership of the user that begins during the leave.
    struct Rejoin {
        let membership: Membership
        let after: Int64
        let waiter: UInt64?
    }

    /// The number of the leave, because the user may return and leave again before the timer fires.
    let number: UInt64
    let user: UserID
    /// The position of the `left` event. While it is `nil`, the user's next `left` ends the leave.
    var left: Position?
    /// The joins to perform when the leave ends.
    var rejoins: [Rejoin] = []

    /// Whether the next event is after the `left` event, which therefore was missed.
    fileprivate func isOver(before event: LogEvent) -> Bool {
        guard let left else { return false }
        return left.epoch != event.position.epoch || left.seq < event.position.seq
    }

    /// Whether the event is the `left` event.
    fileprivate func isOver(with event: LogEvent) -> Bool {
        if let left { return left == event.position }
        guard case .left(let member, _) = event.body else { return false }
        return member.id == user
    }
}

/// Users who leave threads after their own `left` event.
///
/// A user's channel and a thread's channel have no common order, and may be on different hosts. A removed user
/// therefore loses all rights immediately. Deliveries to the user end with the first of three events: the `left` event
/// is delivered, a later event is about to be delivered, or `leaveTimeout` has passed.
extension Hub {
    /// Removes a user from a thread.
    /// - Parameter left: The position of the `left` event. If it is `nil`, the log has no such event and the removal is
    ///   immediate.
    mutating func remove(
        _ user: UserID, from thread: ThreadID, behind left: Position?, at now: Int64, _ actions: inout HubActions
    ) {
        endPendingJoins(of: user, in: thread, at: now, &actions)
        cancelRejoins(of: user, to: thread, &actions)
        if let left, isAhead(left, in: thread) { return awaitLeft(left, of: user, in: thread, &actions) }
        pendingLeaves[thread]?.removeAll { $0.user == user }
        if pendingLeaves[thread]?.isEmpty == true { pendingLeaves[thread] = nil }
        deliver(.removed(user, thread), to: user, &actions)
    }

    /// Handles a membership that the loops have and the store does not. The loops have already revoked the rights.
    mutating func foundEnded(_ user: UserID, in thread: ThreadID, _ actions: inout HubActions) {
        let isRejoining = threads[thread]?.pendingJoins.contains { $0.user == user } ?? false
        if !isRejoining, threads[thread] != nil { return awaitLeft(nil, of: user, in: thread, &actions) }
        deliver(.hasLeft(user, thread), to: user, &actions)
    }

    /// Postpones the join of a user who is still leaving the thread.
    /// - Returns: Whether the user is leaving.
    mutating func postpone(_ rejoin: PendingLeave.Rejoin, of user: UserID, to thread: ThreadID) -> Bool {
        guard let index = pendingLeaves[thread]?.firstIndex(where: { $0.user == user }) else { return false }
        pendingLeaves[thread]?[index].rejoins.append(rejoin)
        return true
    }

    /// Ends leaves before an event is delivered.
    mutating func endPendingLeaves(before event: LogEvent, _ actions: inout HubActions) {
        endPendingLeaves(in: event.thread, &actions) { $0.isOver(before: event) }
    }

    /// Ends leaves after an event was delivered.
    mutating func endPendingLeaves(with event: LogEvent, _ actions: inout HubActions) {
        endPendingLeaves(in: event.thread, &actions) { $0.isOver(with: event) }
    }

    mutating func endPendingLeaves(
        in thread: ThreadID, _ actions: inout HubActions, where isOver: (PendingLeave) -> Bool
    ) {
        guard let pending = pendingLeaves[thread] else { return }
        let over = pending.filter(isOver)
        guard !over.isEmpty else { return }
        let rest = pending.filter { !isOver($0) }
        pendingLeaves[thread] = rest.isEmpty ? nil : rest
        for pendingLeave in over {
            deliver(.hasLeft(pendingLeave.user, thread), to: pendingLeave.user, &actions)
            for rejoin in pendingLeave.rejoins {
                beginJoin(
                    pendingLeave.user, rejoin.membership, after: rejoin.after, waiter: rejoin.waiter, &actions)
            }
        }
    }

    /// Whether a position has not been delivered yet.
    private func isAhead(_ left: Position, in thread: ThreadID) -> Bool {
        guard let topic = threads[thread] else { return false }
        guard let delivered = topic.gate.delivered else { return true }
        return delivered.epoch == left.epoch && delivered.seq < left.seq
    }

    private mutating func awaitLeft(
        _ left: Position?, of user: UserID, in thread: ThreadID, _ actions: inout HubActions
    ) {
        if let index = pendingLeaves[thread]?.firstIndex(where: { $0.user == user }) {
            if pendingLeaves[thread]?[index].left == nil { pendingLeaves[thread]?[index].left = left }
            return
        }
        leaveCount += 1
        pendingLeaves[thread, default: []].append(PendingLeave(number: leaveCount, user: user, left: left))
        deliver(.leaving(user, thread), to: user, &actions)
        actions.append(.startTimer(.leave(thread, number: leaveCount), nanoseconds: leaveTimeout))
    }

    /// Cancels the joins of a user who was added again and removed once more.
    private mutating func cancelRejoins(of user: UserID, to thread: ThreadID, _ actions: inout HubActions) {
        guard let index = pendingLeaves[thread]?.firstIndex(where: { $0.user == user }) else { return }
        for rejoin in pendingLeaves[thread]?[index].rejoins ?? [] {
            if let waiter = rejoin.waiter { actions.append(.resume(waiter, nil)) }
        }
        pendingLeaves[thread]?[index].rejoins = []
    }
}
