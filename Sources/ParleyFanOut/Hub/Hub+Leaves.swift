import ParleyModel

/// A user of this node whose membership of a thread is over, and who has not been shown the own `left`.
struct PendingLeave {
    /// The user was added to the thread again meanwhile.
    struct Rejoin {
        let membership: Membership
        let after: Int64
        let waiter: UInt64?
    }

    /// Identifies the leave: the user may come back and leave again before its timer fires.
    let number: UInt64
    let user: UserID
    /// Where the `left` stands; `nil` while that is not known: then it is the next one of the user.
    var left: Position?
    /// Carried out when the leave ends.
    var rejoins: [Rejoin] = []

    /// Whether the next event to be delivered is behind the `left`, which therefore will not come any more.
    fileprivate func isOver(before event: LogEvent) -> Bool {
        guard let left else { return false }
        return left.epoch != event.position.epoch || left.seq < event.position.seq
    }

    /// Whether the event is the `left`.
    fileprivate func isOver(with event: LogEvent) -> Bool {
        if let left { return left == event.position }
        guard case .left(let member, _) = event.body else { return false }
        return member.id == user
    }
}

/// Users who leave threads: behind their own `left`.
///
/// The channel of a user and that of a thread have no common order, and may be on different hosts. A removed user
/// therefore has no rights at once, and gets no events after the first of these: the `left` is delivered, an event
/// behind it is about to be, `leaveTimeout` is over.
extension Hub {
    /// A user is removed from a thread.
    /// - Parameter left: where the log says so; `nil` if it does not, and then the removal is immediate.
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

    /// The store does not have a membership that loops have; the loops have taken the rights away.
    mutating func foundEnded(_ user: UserID, in thread: ThreadID, _ actions: inout HubActions) {
        let isRejoining = threads[thread]?.pendingJoins.contains { $0.user == user } ?? false
        if !isRejoining, threads[thread] != nil { return awaitLeft(nil, of: user, in: thread, &actions) }
        deliver(.hasLeft(user, thread), to: user, &actions)
    }

    /// Postpones a join of a user who is still leaving the thread.
    /// - Returns: whether that is so.
    mutating func postpone(_ rejoin: PendingLeave.Rejoin, of user: UserID, to thread: ThreadID) -> Bool {
        guard let index = pendingLeaves[thread]?.firstIndex(where: { $0.user == user }) else { return false }
        pendingLeaves[thread]?[index].rejoins.append(rejoin)
        return true
    }

    /// An event is about to be delivered.
    mutating func endPendingLeaves(before event: LogEvent, _ actions: inout HubActions) {
        endPendingLeaves(in: event.thread, &actions) { $0.isOver(before: event) }
    }

    /// An event was delivered.
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

    /// Whether a position is still to be delivered.
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

    /// A user who was added again has been removed once more.
    private mutating func cancelRejoins(of user: UserID, to thread: ThreadID, _ actions: inout HubActions) {
        guard let index = pendingLeaves[thread]?.firstIndex(where: { $0.user == user }) else { return }
        for rejoin in pendingLeaves[thread]?[index].rejoins ?? [] {
            if let waiter = rejoin.waiter { actions.append(.resume(waiter, nil)) }
        }
        pendingLeaves[thread]?[index].rejoins = []
    }
}
