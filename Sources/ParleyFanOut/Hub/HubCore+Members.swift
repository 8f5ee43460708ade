import ParleyModel
import ParleyWire

/// What becomes of the users of this node: their control events, and how they are taken into threads.
extension HubCore {
    /// Somebody tells of a user. What is told need not be the newest, so the user is looked at as well.
    func receive(_ event: ControlEvent, of user: UserID) {
        carryOut(event, of: user)
        guard let topic = topics[.user(user)] else { return }
        controlEvents += 1
        topic.lastControlEvent = controlEvents
        told(user, true)
    }

    /// Lets the sockets of a user know.
    func carryOut(_ event: ControlEvent, of user: UserID) {
        switch event {
        case .added(let membership, let after):
            beginJoin(user, membership, after: after)
        case .removed(let thread, let left):
            remove(user, from: thread, behind: left)
        case .sessionRevoked(let token):
            sendToUser(user, .sessionRevoked(user, token))
        case .erased:
            sendToUser(user, .erased(user))
        case .changed:
            // What has become of it is found in the store.
            break
        }
    }

    // MARK: New members

    /// A user of this node became a member of a thread: the loops with sockets of theirs follow it from now on.
    /// - Parameter completion: called on this loop when they do, or when nothing will come of it.
    func beginJoin(_ user: UserID, _ membership: Membership, after: Int64, completion: (() -> Void)? = nil) {
        guard let loops = topics[.user(user)]?.interest.loops, !loops.isEmpty else {
            completion?()
            return
        }
        if keep(PendingLeave.Return(membership: membership, after: after, completion: completion), of: user) { return }
        let thread = membership.thread.id
        let topic = topic(.thread(thread))
        // One that is under way and shows no less will do; otherwise this one takes its place.
        if let other = topic.pendingJoins.first(where: { $0.user == user && $0.after <= after }) {
            if let completion { joinWaiters[other.number, default: []].append(completion) }
            return
        }
        pendingJoins += 1
        let pendingJoin = PendingJoin(number: pendingJoins, user: user, membership: membership, after: after)
        for other in topic.pendingJoins where other.user == user {
            let waiters = joinWaiters.removeValue(forKey: other.number) ?? []
            joinWaiters[pendingJoin.number, default: []] += waiters
        }
        if let completion { joinWaiters[pendingJoin.number, default: []].append(completion) }
        topic.pendingJoins.removeAll { $0.user == user }
        topic.pendingJoins.append(pendingJoin)
        want([.thread(thread)], on: LoopSet()) { [self] result in
            if case .success = result {
                read(for: pendingJoin)
            } else {
                // Without a subscription the topic is gone and the adoption with it; the next look finds the
                // membership missing.
                told(user, false)
                concluded(pendingJoin)
            }
        }
    }

    private func read(for pendingJoin: PendingJoin) {
        let (fanOut, log) = (fanOut, log)
        let after = pendingJoin.after
        let isTaken = fanOut.work.submit {
            let events = await log.newest(in: pendingJoin.membership.thread.id, after: after, limit: PendingJoin.limit)
            fanOut.onHub { $0.settle(pendingJoin, events) }
        }
        if !isTaken { settle(pendingJoin, []) }
    }

    private func settle(_ begun: PendingJoin, _ events: [LogEvent]) {
        let name = BusTopic.thread(begun.membership.thread.id)
        guard let topic = topics[name],
            let index = topic.pendingJoins.firstIndex(where: { $0.number == begun.number })
        else { return concluded(begun) }
        // With what was passed to the others since it was begun.
        let pendingJoin = topic.pendingJoins.remove(at: index)
        // Those of now: the user may have come to a loop or left one while the log was read.
        let loops = topics[.user(pendingJoin.user)]?.interest.loops ?? LoopSet()
        let (replay, ahead) = pendingJoin.settle(events, delivered: topic.gate.delivered)
        if !loops.isEmpty {
            joinTokens += 1
            topic.lastJoinToken = joinTokens
            topic.interest.add(loops)
            let frames = replay.map { SharedFrame($0, for: encodings.inUse) }
            let end = replay.first.map { Position(epoch: $0.position.epoch, seq: $0.position.seq - 1) }
            send(
                .joined(
                    pendingJoin.user, pendingJoin.membership, after: end ?? topic.gate.delivered, replay: frames,
                    joinToken: joinTokens),
                to: loops)
        }
        listIfUnwanted(name, topic)
        for event in ahead { receive(event, in: topic) }
        // The membership may have ended while the log was read, without a word.
        told(pendingJoin.user, true)
        concluded(pendingJoin)
    }

    /// A user is a member no more, so whoever is taking them in must stop.
    func endPendingJoins(of user: UserID, in thread: ThreadID) {
        let name = BusTopic.thread(thread)
        guard let topic = topics[name] else { return }
        let ended = topic.pendingJoins.filter { $0.user == user }
        guard !ended.isEmpty else { return }
        topic.pendingJoins.removeAll { $0.user == user }
        listIfUnwanted(name, topic)
        ended.forEach(concluded)
    }

    /// Whoever waits for an adoption goes on, behind what comes of it on every loop.
    private func concluded(_ pendingJoin: PendingJoin) {
        guard let waiters = joinWaiters.removeValue(forKey: pendingJoin.number) else { return }
        flush()
        for waiter in waiters { waiter() }
    }
}
