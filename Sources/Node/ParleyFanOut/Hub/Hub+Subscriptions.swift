package import ParleyModel

/// Topics: their interested loops, subscriptions and releases.
extension Hub {
    /// The number of topics that the node is subscribed to or is subscribing to.
    package var topicCount: Int { threads.count + users.count }

    /// The number of threads that the node is subscribed to or is subscribing to.
    package var threadCount: Int { threads.count }

    /// Adds the interest of an event loop in topics.
    /// - Parameter waiter: Resumed when all topics are live, or with an error when every topic is live or refused.
    package mutating func subscribe(
        to names: [BusTopic], for loop: Int, waiter: UInt64, _ actions: inout HubActions
    ) {
        request(names, for: LoopSet(loop), .resume(waiter: waiter), &actions)
    }

    /// - Parameter loops: The interested loops. May be empty if they are not known yet.
    mutating func request(
        _ names: [BusTopic], for loops: LoopSet, _ purpose: SubscriptionRequest.Purpose, _ actions: inout HubActions
    ) {
        requestCount += 1
        var missing = 0
        var requested: [BusTopic] = []
        for name in names {
            switch addInterest(name, loops, request: requestCount) {
            case .ready:
                continue
            case .wait:
                missing += 1
            case .subscribe:
                missing += 1
                requested.append(name)
            }
        }
        guard missing > 0 else { return finish(purpose, nil, &actions) }
        requests[requestCount] = SubscriptionRequest(purpose: purpose, missing: missing)
        if !requested.isEmpty { actions.append(.subscribe(requested)) }
    }

    private mutating func addInterest(
        _ name: BusTopic, _ loops: LoopSet, request: UInt64
    ) -> TopicInterest<UInt64>.Demand {
        switch name {
        case .thread(let thread): threads[thread, default: ThreadTopic()].interest.add(loops, request)
        case .user(let user): users[user, default: UserTopic()].interest.add(loops, request)
        case .presence: preconditionFailure("the hub subscribes to threads and users")
        }
    }

    /// Notes that the bus has subscribed to topics.
    ///
    /// A thread is live when the end of its log is known. From then on no published event is missed, even if the bus is
    /// interrupted before the first one. A thread on an unavailable host is live immediately; the end of its log is
    /// read when the host recovers.
    /// - Parameter away: The topics that the bus subscribes to when their host recovers.
    package mutating func subscribed(to names: [BusTopic], away: Set<BusTopic> = [], _ actions: inout HubActions) {
        var started: [ThreadID] = []
        var live: [UInt64] = []
        for name in names {
            switch name {
            case .thread(let thread) where away.contains(name):
                live += threads[thread]?.interest.answered(isLive: true) ?? []
                awaitReturn(of: [thread], &actions)
            case .thread(let thread): started.append(thread)
            case .user(let user): live += users[user]?.interest.answered(isLive: true) ?? []
            case .presence: break
            }
        }
        for number in live { settle(number, nil, &actions) }
        if !started.isEmpty { actions.append(.readHeads(started, nil)) }
    }

    /// Handles the heads of threads.
    /// - Parameters:
    ///   - heads: The heads; `nil` for a thread without events. An unreadable thread is missing.
    ///   - request: The request of the action.
    package mutating func headsRead(
        _ names: [ThreadID], _ heads: [ThreadID: ThreadHead?], for request: PositionRequest?,
        _ actions: inout HubActions
    ) {
        var live: [UInt64] = []
        for thread in names {
            guard let index = threads.index(forKey: thread) else { continue }
            if let head = heads[thread] {
                threads.values[index].gate.begin(behind: head?.position)
                if threads.values[index].isAwaited, threads.values[index].gate.isPlaced {
                    becameAvailable(thread, at: threads.values[index].gate.delivered, &actions)
                }
            } else if request == nil {
                // If the head is unknown, the first event determines the position.
                awaitReturn(of: [thread], &actions)
            }
            if request == nil { live += threads.values[index].interest.answered(isLive: true) }
        }
        for number in live { settle(number, nil, &actions) }
        if let request { reply(to: request, mayRead: false, &actions) }
    }

    /// Handles topics that the bus has refused.
    package mutating func subscribeFailed(_ names: [BusTopic], _ error: BusError, _ actions: inout HubActions) {
        var refused: [UInt64] = []
        for name in names {
            switch name {
            case .thread(let thread):
                refused += threads[thread]?.interest.answered(isLive: false) ?? []
                threads[thread] = nil
            case .user(let user):
                refused += users[user]?.interest.answered(isLive: false) ?? []
                users[user] = nil
            case .presence:
                break
            }
        }
        // The bus may have subscribed to some of them.
        actions.append(.unsubscribe(names))
        for number in refused { settle(number, error, &actions) }
    }

    /// Counts a topic of a request as live or refused.
    private mutating func settle(_ number: UInt64, _ failure: BusError?, _ actions: inout HubActions) {
        guard var request = requests.removeValue(forKey: number) else { return }
        request.missing -= 1
        request.failure = failure ?? request.failure
        if request.missing > 0 {
            requests[number] = request
        } else {
            finish(request.purpose, request.failure, &actions)
        }
    }

    private mutating func finish(
        _ purpose: SubscriptionRequest.Purpose, _ failure: BusError?, _ actions: inout HubActions
    ) {
        switch purpose {
        case .resume(let waiter): actions.append(.resume(waiter, failure))
        case .join(let pendingJoin): subscribed(for: pendingJoin, failure, &actions)
        }
    }

    // MARK: Unwanted topics

    /// Removes the interest of an event loop in topics.
    /// - Parameters:
    ///   - seenJoinToken: The highest join token that the loop has seen.
    ///   - now: The monotonic time in nanoseconds.
    package mutating func released(
        _ names: [BusTopic], by loop: Int, seenJoinToken: UInt64, at now: Int64, _ actions: inout HubActions
    ) {
        for name in names {
            switch name {
            case .thread(let thread):
                guard let lastJoinToken = threads[thread]?.lastJoinToken else { continue }
                if lastJoinToken > seenJoinToken {
                    actions.deliver(.confirm(thread, joinToken: joinTokens), to: loop)
                    continue
                }
                threads[thread]?.interest.release(loop)
            case .user(let user):
                guard users[user] != nil else { continue }
                users[user]?.interest.release(loop)
            case .presence:
                continue
            }
            listIfUnwanted(name, at: now, &actions)
        }
    }

    mutating func listIfUnwanted(_ name: BusTopic, at now: Int64, _ actions: inout HubActions) {
        guard !isWanted(name) else { return }
        unwanted[name] = now
        scheduleSweep(&actions)
    }

    private func isWanted(_ name: BusTopic) -> Bool {
        switch name {
        case .thread(let thread): threads[thread]?.isWanted ?? false
        case .user(let user): users[user].map { !$0.interest.loops.isEmpty } ?? false
        case .presence: false
        }
    }

    /// Returns whether the topic is live; `nil` if the node is neither subscribed nor subscribing to it.
    private func isLive(_ name: BusTopic) -> Bool? {
        switch name {
        case .thread(let thread): threads[thread]?.interest.isLive
        case .user(let user): users[user]?.interest.isLive
        case .presence: nil
        }
    }

    private mutating func scheduleSweep(_ actions: inout HubActions) {
        guard !isSweepScheduled, !unwanted.isEmpty else { return }
        isSweepScheduled = true
        actions.append(.startTimer(.sweep, nanoseconds: linger))
    }

    /// Handles a timer.
    /// - Parameter now: The monotonic time in nanoseconds.
    package mutating func timerFired(_ timer: HubTimer, at now: Int64, _ actions: inout HubActions) {
        switch timer {
        case .sweep: sweep(at: now, &actions)
        case .leave(let thread, let number): endPendingLeaves(in: thread, &actions) { $0.number == number }
        case .awaited: checkAwaited(&actions)
        }
    }

    /// Unsubscribes from the topics that have been unwanted for the linger time.
    private mutating func sweep(at now: Int64, _ actions: inout HubActions) {
        isSweepScheduled = false
        var given: [BusTopic] = []
        for (name, since) in unwanted {
            guard let isLive = isLive(name), !isWanted(name) else {
                unwanted[name] = nil
                continue
            }
            guard isLive, now - since >= linger else { continue }
            unwanted[name] = nil
            given.append(name)
            switch name {
            case .thread(let thread): threads[thread] = nil
            case .user(let user): users[user] = nil
            case .presence: break
            }
        }
        if !given.isEmpty { actions.append(.unsubscribe(given)) }
        scheduleSweep(&actions)
    }
}
