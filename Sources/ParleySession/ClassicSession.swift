package import ParleyModel
package import ParleyWire

/// One client's life on a WebSocket as a value: an event in, actions out.
///
/// - decides what a command means for this client: a send, a look-up first, a read mark, or nothing;
/// - keeps the order of the client's sends while one of them waits for its rate, a look-up or the log;
/// - counts bad frames and ends the connection when there are too many;
/// - bounds everything that waits: 256 sends, and 256 on their way to the log.
///
/// **Order.** A send leaves `waiting` only from its front, and one that the log could not take comes back to its place.
/// From the first that comes back, the log is away: nothing leaves until all that are on their way have come back, and
/// then one at a time, until the log has taken one. So the order holds whenever the log refuses everything while it is
/// away, and in whatever order its refusals arrive.
///
/// It knows no socket and no clock: its owner, a handler bound to an event loop, performs the actions and passes the
/// time in. Microseconds are by a clock that never goes back.
package struct ClassicSession: Sendable {
    /// What the owner does for the session, in order.
    package enum Action: Hashable, Sendable {
        /// Append a message; answer with `appendAccepted`, `appendFailed` or `appendRefused`, not before all actions of the
        /// step are performed.
        case append(OutgoingMessage)
        /// Find the user of this name; answer with `resolvedUser` or `lookUpFailed`.
        case findUser(name: String)
        /// This user may have become a member of a thread just now; answer with `resolvedThread` or `lookUpFailed`.
        case findThread(ThreadID)
        case markRead(ThreadID)
        /// Tell this client alone that there is no such user.
        case replyUnknownUser(name: String)
        /// Call `wake` after so many microseconds, whatever happens in the meantime.
        case wake(after: Int64)
        /// Hand in no more commands until `resumeReading`.
        case pauseReading
        case resumeReading
        /// A frame was dropped; count it.
        case drop(DropReason)
        /// The last action of a session.
        case close(CloseReason)
    }

    /// The most sends that wait for the rate, a look-up or the log.
    package static let waitingLimit = 256
    /// The most sends on their way to the log.
    package static let inFlightLimit = 256
    /// How long the log or the look-ups may be away before the client is sent off, in microseconds.
    package static let outageLimit: Int64 = 30_000_000
    /// How long to wait before what is away is tried again, in microseconds.
    package static let outageRetry: Int64 = 500_000

    private var inFlight: Int16 = 0
    private var isPaused = false
    private var isClosed = false
    /// An answer to `findUser` or `findThread` is awaited, for the first of `waiting` that needs one.
    private var isLookingUp = false
    private var waiting: [WaitingSend] = []
    private var badFrames = BadFrameWindow()
    /// Numbers sends, so that those the log refused go back to their place in the order.
    private var nextNumber: UInt64 = 0
    /// Nothing is sent before this instant; a `wake` is on its way for it.
    private var restsUntil: Int64?
    private var logAwaySince: Int64?
    private var lookUpsFailSince: Int64?

    package init() {}

    /// Whether the owner is to hand in commands.
    package var isReading: Bool { !isPaused && !isClosed }

    // MARK: What the client sends

    /// A command arrived.
    package mutating func received(
        _ command: ClientCommand, at now: Int64, _ client: some SessionClient, _ actions: inout [Action]
    ) {
        guard !isClosed else { return }
        switch command {
        case .send(let thread, let text):
            enqueue(.thread(thread), text, at: now, client, &actions)
        case .sendDirect(let name, let text):
            enqueue(.peer(name: name), text, at: now, client, &actions)
        case .read(let thread):
            // A read mark of a thread that is not the user's changes nothing anywhere, so it needs no look-up.
            if client.membership(of: thread) != nil {
                actions.append(.markRead(thread))
            } else {
                drop(.notAMember, at: now, &actions)
            }
        case .introduce, .say:
            drop(.unknownCommand, at: now, &actions)
        }
    }

    /// A command arrived that can be refused by itself: its text is not allowed.
    package mutating func refused(_ reason: DropReason, at now: Int64, _ actions: inout [Action]) {
        guard !isClosed else { return }
        drop(reason, at: now, &actions)
    }

    /// A frame arrived that is no command.
    package mutating func received(_ violation: CommandError, at now: Int64, _ actions: inout [Action]) {
        guard !isClosed else { return }
        drop(DropReason(violation), at: now, &actions)
    }

    // MARK: Answers to actions

    /// The answer to `findUser`.
    package mutating func resolvedUser(
        _ user: User?, at now: Int64, _ client: some SessionClient, _ actions: inout [Action]
    ) {
        guard let index = awaitedLookUp, case .peer(let name) = waiting[index].target else { return }
        lookUpEnded()
        if let user, user.id != client.user.id {
            waiting[index].target = .member(client.directMembership(with: user))
        } else {
            // A wrong name is a user's slip and not abuse.
            waiting.remove(at: index)
            actions.append(.replyUnknownUser(name: name))
            actions.append(.drop(.unknownUser))
        }
        advance(at: now, client, &actions)
    }

    /// The answer to `findThread`; `nil` if the user is no member of it.
    package mutating func resolvedThread(
        _ membership: Membership?, at now: Int64, _ client: some SessionClient, _ actions: inout [Action]
    ) {
        guard let index = awaitedLookUp, case .thread = waiting[index].target else { return }
        lookUpEnded()
        if let membership {
            waiting[index].target = .member(membership)
        } else {
            waiting.remove(at: index)
            drop(.notAMember, at: now, &actions)
        }
        advance(at: now, client, &actions)
    }

    /// A look-up did not come to an end; the send that waits for it stays, and it is tried again.
    package mutating func lookUpFailed(at now: Int64, _ client: some SessionClient, _ actions: inout [Action]) {
        guard isLookingUp else { return }
        isLookingUp = false
        let since = lookUpsFailSince ?? now
        lookUpsFailSince = since
        retry(awaySince: since, at: now, &actions)
    }

    /// The log has taken a message.
    package mutating func appendAccepted(at now: Int64, _ client: some SessionClient, _ actions: inout [Action]) {
        inFlight -= 1
        guard !isClosed else { return }
        logAnswered(at: now)
        advance(at: now, client, &actions)
    }

    /// A message may not be sent: it is dropped.
    package mutating func appendRefused(
        _ reason: DropReason, at now: Int64, _ client: some SessionClient, _ actions: inout [Action]
    ) {
        inFlight -= 1
        guard !isClosed else { return }
        logAnswered(at: now)
        drop(reason, at: now, &actions)
        advance(at: now, client, &actions)
    }

    /// The log has not taken a message, which it may take later.
    package mutating func appendFailed(
        _ message: OutgoingMessage, at now: Int64, _ client: some SessionClient, _ actions: inout [Action]
    ) {
        inFlight -= 1
        guard !isClosed else { return }
        let place = waiting.firstIndex { $0.number > message.number } ?? waiting.endIndex
        waiting.insert(
            WaitingSend(
                number: message.number, target: .member(message.membership), text: message.text, id: message.id,
                isPaid: true),
            at: place)
        let since = logAwaySince ?? now
        logAwaySince = since
        // The others that are on their way come back first: they stand before what waits.
        if inFlight == 0 { retry(awaySince: since, at: now, &actions) }
    }

    /// The time asked for by `wake(after:)` has come.
    package mutating func wake(at now: Int64, _ client: some SessionClient, _ actions: inout [Action]) {
        // Another wake that was asked for later may be the one that counts.
        guard let restsUntil, now >= restsUntil else { return }
        self.restsUntil = nil
        advance(at: now, client, &actions)
    }

    /// The socket is gone: what still comes back from the log or a look-up changes nothing.
    package mutating func closed() {
        isClosed = true
        isLookingUp = false
        restsUntil = nil
        waiting = []
    }

    // MARK: Sends

    private mutating func enqueue(
        _ target: WaitingSend.Target, _ text: String, at now: Int64, _ client: some SessionClient,
        _ actions: inout [Action]
    ) {
        guard waiting.count < Self.waitingLimit else {
            return close(.sendsWaitTooLong, &actions)
        }
        waiting.append(WaitingSend(number: nextNumber, target: target, text: text))
        nextNumber += 1
        advance(at: now, client, &actions)
    }

    /// Sends off what can go, in order, and stops at the first that cannot.
    private mutating func advance(at now: Int64, _ client: some SessionClient, _ actions: inout [Action]) {
        while !isClosed, restsUntil == nil, inFlight < inFlightLimit, let next = waiting.first {
            // Before the look-up, so that nobody gets more look-ups than sends.
            if !next.isPaid {
                let permit = client.take(.sends, at: now)
                guard permit == .granted else {
                    let wait = if case .wait(let wait) = permit { wait } else { Permit.moment }
                    rest(wait, at: now, &actions)
                    break
                }
                waiting[0].isPaid = true
            }
            guard let membership = target(of: next, client, &actions) else { break }
            waiting.removeFirst()
            inFlight += 1
            actions.append(
                .append(OutgoingMessage(number: next.number, membership: membership, text: next.text, id: next.id)))
        }
        // Gives the memory back: most sockets are idle most of the time.
        if waiting.isEmpty { waiting = [] }
        adjustReading(&actions)
    }

    /// Where the first send that waits goes; `nil` if that must be looked up first.
    private mutating func target(
        of send: WaitingSend, _ client: some SessionClient, _ actions: inout [Action]
    ) -> Membership? {
        if case .member(let known) = send.target {
            // It may have waited for the log: what counts is what the user may do now.
            if let membership = client.membership(of: known.thread.id) { return membership }
            // A direct thread begins with its first message.
            if known.thread.kind == .direct { return known }
        }
        // The answer is taken for the first that needs one, so nothing else is to need one now.
        guard !isLookingUp else { return nil }
        switch send.target {
        case .member(let known):
            waiting[0].target = .thread(known.thread.id)
            actions.append(.findThread(known.thread.id))
        case .thread(let thread):
            if let membership = client.membership(of: thread) { return membership }
            actions.append(.findThread(thread))
        case .peer(let name):
            if let membership = client.directMembership(withUserNamed: name) { return membership }
            actions.append(.findUser(name: name))
        }
        isLookingUp = true
        return nil
    }

    /// The send that a look-up is under way for: not always the first, since the log may give back earlier ones.
    private var awaitedLookUp: Int? {
        isLookingUp ? waiting.firstIndex { $0.needsLookUp } : nil
    }

    private mutating func lookUpEnded() {
        isLookingUp = false
        lookUpsFailSince = nil
    }

    // MARK: Outages

    private var inFlightLimit: Int {
        logAwaySince == nil ? Self.inFlightLimit : 1
    }

    private mutating func logAnswered(at now: Int64) {
        guard logAwaySince != nil else { return }
        // While others are on their way nobody knows whether they will come back.
        logAwaySince = inFlight == 0 ? nil : now
    }

    private mutating func retry(awaySince since: Int64, at now: Int64, _ actions: inout [Action]) {
        guard now - since < Self.outageLimit else {
            return close(.unavailable, &actions)
        }
        rest(Self.outageRetry, at: now, &actions)
    }

    private mutating func rest(_ duration: Int64, at now: Int64, _ actions: inout [Action]) {
        let end = now + duration
        if let restsUntil, restsUntil >= end { return }
        restsUntil = end
        actions.append(.wake(after: duration))
    }

    // MARK: Reading

    /// Reading goes on while sends wait for their rate or the log, since the client may overdraw by `waitingLimit`; it
    /// stops while they wait for a look-up or too many are on their way, so that a fast client is slowed down and not
    /// sent off.
    private mutating func adjustReading(_ actions: inout [Action]) {
        guard !isClosed else { return }
        let needsLookUp = isLookingUp || lookUpsFailSince != nil
        if !isPaused, needsLookUp || inFlight >= Self.inFlightLimit {
            isPaused = true
            actions.append(.pauseReading)
        } else if isPaused, !needsLookUp, inFlight <= Self.inFlightLimit / 2 {
            isPaused = false
            actions.append(.resumeReading)
        }
    }

    // MARK: Ends

    private mutating func drop(_ reason: DropReason, at now: Int64, _ actions: inout [Action]) {
        actions.append(.drop(reason))
        if badFrames.record(at: now) {
            close(.abuse, &actions)
        }
    }

    private mutating func close(_ reason: CloseReason, _ actions: inout [Action]) {
        guard !isClosed else { return }
        closed()
        actions.append(.close(reason))
    }
}
