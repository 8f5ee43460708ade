package import ParleyModel
import ParleyWire

/// Users who become members of threads while events flow.
extension Hub {
    /// A user of this node became a member of a thread: the loops with sockets of theirs follow it from now on.
    /// - Parameters:
    ///   - after: the user may see the log after this seq.
    ///   - waiter: resumed when the loops follow the thread, or when it is certain that they will not.
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
        // A pending join that shows no less suffices; otherwise this one replaces it.
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

    /// The thread of a pending join is live, or cannot be.
    mutating func subscribed(for pendingJoin: PendingJoin, _ failure: BusError?, _ actions: inout HubActions) {
        if failure == nil {
            let thread = pendingJoin.membership.thread.id
            actions.append(.readNewest(thread, after: pendingJoin.after, join: pendingJoin.number))
        } else {
            // The topic is gone and the pending join with it; the comparison with the store finds the membership
            // missing.
            actions.append(.reloadUser(pendingJoin.user, isUrgent: false))
            resumeWaiters(of: pendingJoin.number, &actions)
        }
    }

    /// The log of a thread was read for a pending join.
    /// - Parameters:
    ///   - events: the newest; empty if the log could not be read.
    ///   - number: of the pending join.
    ///   - now: nanoseconds by a clock that never goes back.
    package mutating func newestRead(
        _ thread: ThreadID, _ events: [LogEvent], join number: UInt64, at now: Int64, _ actions: inout HubActions
    ) {
        guard let position = threads[thread]?.pendingJoins.firstIndex(where: { $0.number == number }),
            // With the events that were passed to the others since it began.
            let pendingJoin = threads[thread]?.pendingJoins.remove(at: position)
        else { return resumeWaiters(of: number, &actions) }
        let delivered = threads[thread]?.gate.delivered
        let (replay, ahead) = pendingJoin.settle(events, delivered: delivered)
        // The user may have come to a loop or left one while the log was read.
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

    /// A user is not a member any more, so their pending joins end.
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
