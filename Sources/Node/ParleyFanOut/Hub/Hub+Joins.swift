package import ParleyModel
import ParleyWire

/// Users who become members of threads while events arrive.
extension Hub {
    /// Adds a user of this node to a thread: the loops with sockets of the user follow the thread.
    /// - Parameters:
    ///   - after: The user may see the log after this `seq`.
    ///   - waiter: Resumed when the loops follow the thread, or when they cannot.
    package mutating func beginJoin(
        _ user: UserID, _ membership: Membership, after: Int64, waiter: UInt64? = nil, _ actions: inout HubActions
    ) {
        guard let loops = users[user]?.interest.loops, !loops.isEmpty else {
            if let waiter { actions.append(.resume(waiter, nil)) }
            return
        }
        let thread = membership.thread.id
        if postpone(PendingLeave.Rejoin(membership: membership, after: after, waiter: waiter), of: user, to: thread) {
            return
        }
        let others = threads[thread]?.pendingJoins.filter { $0.user == user } ?? []
        // A pending join that shows at least as much suffices. Otherwise the new one replaces it.
        if let other = others.first(where: { $0.after <= after }) {
            if let waiter { joinWaiters[other.number, default: []].append(waiter) }
            return
        }
        joinCount += 1
        let pendingJoin = PendingJoin(number: joinCount, user: user, membership: membership, after: after)
        var waiters: [UInt64] = []
        for other in others { waiters += joinWaiters.removeValue(forKey: other.number) ?? [] }
        if let waiter { waiters.append(waiter) }
        if !waiters.isEmpty { joinWaiters[pendingJoin.number] = waiters }
        threads[thread, default: ThreadTopic()].pendingJoins.removeAll { $0.user == user }
        threads[thread]?.pendingJoins.append(pendingJoin)
        request([.thread(thread)], for: LoopSet(), .join(pendingJoin), &actions)
    }

    /// Continues a pending join when its thread is live or was refused.
    mutating func subscribed(for pendingJoin: PendingJoin, _ failure: BusError?, _ actions: inout HubActions) {
        if failure == nil {
            let thread = pendingJoin.membership.thread.id
            actions.append(.readNewest(thread, after: pendingJoin.after, join: pendingJoin.number))
        } else {
            // The topic and its pending join no longer exist. The comparison with the store finds the missing
            // membership.
            actions.append(.reloadUser(pendingJoin.user, isUrgent: false))
            resumeWaiters(of: pendingJoin.number, &actions)
        }
    }

    /// Continues a pending join after the log was read.
    /// - Parameters:
    ///   - events: The newest events; empty if the log could not be read.
    ///   - number: The number of the pending join.
    ///   - now: The monotonic time in nanoseconds.
    package mutating func newestRead(
        _ thread: ThreadID, _ events: [LogEvent], join number: UInt64, at now: Int64, _ actions: inout HubActions
    ) {
        guard let position = threads[thread]?.pendingJoins.firstIndex(where: { $0.number == number }),
            // Includes the events that were passed to the other members since the join began.
            let pendingJoin = threads[thread]?.pendingJoins.remove(at: position)
        else { return resumeWaiters(of: number, &actions) }
        let delivered = threads[thread]?.gate.delivered
        let (replay, ahead) = pendingJoin.settle(events, delivered: delivered)
        // The user may have joined or left a loop while the log was read.
        if let loops = users[pendingJoin.user]?.interest.loops, !loops.isEmpty {
            joinTokens += 1
            threads[thread]?.lastJoinToken = joinTokens
            threads[thread]?.interest.add(loops)
            let frames = replay.map { SharedFrame($0, for: encodings.inUse) }
            let end = replay.first.map { Position(epoch: $0.position.epoch, seq: $0.position.seq - 1) }
            actions.deliver(
                .joined(
                    pendingJoin.user, pendingJoin.membership, after: end ?? delivered, replay: frames,
                    joinToken: joinTokens),
                to: loops)
        }
        listIfUnwanted(.thread(thread), at: now, &actions)
        for event in ahead { received(event, &actions) }
        // The membership may have ended while the log was read, and its control event may be lost.
        actions.append(.reloadUser(pendingJoin.user, isUrgent: true))
        resumeWaiters(of: number, &actions)
    }

    /// Ends the pending joins of a user who is no longer a member.
    mutating func endPendingJoins(
        of user: UserID, in thread: ThreadID, at now: Int64, _ actions: inout HubActions
    ) {
        let ended = threads[thread]?.pendingJoins.filter { $0.user == user } ?? []
        guard !ended.isEmpty else { return }
        threads[thread]?.pendingJoins.removeAll { $0.user == user }
        listIfUnwanted(.thread(thread), at: now, &actions)
        for pendingJoin in ended { resumeWaiters(of: pendingJoin.number, &actions) }
    }

    private mutating func resumeWaiters(of join: UInt64, _ actions: inout HubActions) {
        for waiter in joinWaiters.removeValue(forKey: join) ?? [] { actions.append(.resume(waiter, nil)) }
    }
}
