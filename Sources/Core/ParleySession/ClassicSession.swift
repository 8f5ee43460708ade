package import ParleyModel
package import ParleyWire

/// The state machine of a classic or direct client on one connection: events in, actions out.
///
/// - Decides what a command means for this client: a send, a lookup first, a read mark, or nothing.
/// - Keeps the order of the client's sends while one of them waits for its rate, a lookup or the log.
/// - Counts invalid frames, and closes the connection when there are too many.
/// - Bounds its queues: 256 waiting sends, and 256 in flight to the log.
///
/// **Order.** A send leaves `waiting` only from the front, and one that the log could not accept returns to its place.
/// From the first one that returns, the log counts as unavailable: nothing is sent until everything in flight has
/// returned, and then one send at a time, until the log has accepted one. So the order holds whenever the log rejects
/// everything while it is unavailable, in whatever order its failures arrive.
///
/// **What the owner answers.** A send begins with the facts that its owner has at that time. After each event, before it
/// performs the actions, the owner answers `query` by `answered` until there is no query.
///
/// A value without socket and clock: its owner, a handler bound to an event loop, performs the actions and passes in
/// the time. Microseconds are by a monotonic clock.
package struct ClassicSession: Sendable {
    /// An action that the owner performs, in order.
    package enum Action: Hashable, Sendable {
        /// Append a message; report `appendAccepted`, `appendFailed` or `appendRefused`, after all actions of the step
        /// have been performed.
        case append(OutgoingMessage)
        /// Look up the user of this name; report `resolvedUser` or `lookUpFailed`.
        case findUser(name: String)
        /// Look up the user's membership, which may be new; report `resolvedThread` or `lookUpFailed`.
        case findThread(ThreadID)
        case markRead(ThreadID)
        /// Reply to this client that there is no such user.
        case replyUnknownUser(name: String)
        /// Call `wake` after this many microseconds, whatever happens before then.
        case wake(after: Int64)
        /// Pass in no more commands until `resumeReading`.
        case pauseReading
        case resumeReading
        /// A frame was dropped; count it.
        case drop(DropReason)
        /// Close the connection; the last action of a session.
        case close(CloseReason)
    }

    /// Maximum number of sends waiting for the rate, a lookup or the log.
    package static let waitingLimit = 256
    /// Maximum number of sends in flight to the log.
    package static let inFlightLimit = 256
    /// The longest time that the log or the lookups may be unavailable before the connection is closed, in
    /// microseconds.
    package static let outageLimit: Int64 = 30_000_000
    /// Delay before a retry after an outage, in microseconds.
    package static let outageRetry: Int64 = 500_000

    private var inFlight: Int16 = 0
    private var isPaused = false
    private var isClosed = false
    /// The first of `waiting` may begin, once `query` is answered.
    private var awaitsFacts = false
    /// A reply to `findUser` or `findThread` is pending, for the first of `waiting` that needs one.
    private var isLookingUp = false
    private var waiting: [WaitingSend] = []
    private var badFrames = BadFrameWindow()
    /// Numbers sends, so that those the log rejected return to their place in the order.
    private var nextNumber: UInt64 = 0
    /// Nothing is sent before this instant; a `wake` is scheduled for it.
    private var pausedUntil: Int64?
    private var logAwaySince: Int64?
    private var lookUpsFailSince: Int64?

    package init() {}

    /// Whether the owner is to pass in commands.
    package var isReading: Bool { !isPaused && !isClosed }

    // MARK: Input from the client

    /// A command was received.
    /// - Parameter membership: the user's membership of the thread that the command marks as read.
    package mutating func received(
        _ command: ClientCommand, membership: Membership?, at now: Int64, _ actions: inout [Action]
    ) {
        guard !isClosed else { return }
        switch command {
        case .send(let thread, let text):
            enqueue(.thread(thread), text, at: now, &actions)
        case .sendDirect(let name, let text):
            enqueue(.peer(name: name), text, at: now, &actions)
        case .read(let thread):
            // A read mark of a thread that is not the user's has no effect, so it needs no lookup.
            if membership != nil {
                actions.append(.markRead(thread))
            } else {
                drop(.notAMember, at: now, &actions)
            }
        case .introduce, .say:
            drop(.unknownCommand, at: now, &actions)
        }
    }

    /// A command with a disallowed text was received.
    package mutating func refused(_ reason: DropReason, at now: Int64, _ actions: inout [Action]) {
        guard !isClosed else { return }
        drop(reason, at: now, &actions)
    }

    /// An invalid frame was received.
    package mutating func received(_ violation: CommandError, at now: Int64, _ actions: inout [Action]) {
        guard !isClosed else { return }
        drop(DropReason(violation), at: now, &actions)
    }

    // MARK: Results of actions

    /// The result of `findUser`.
    /// - Parameter sender: the user of this session.
    package mutating func resolvedUser(
        _ user: User?, by sender: UserID, at now: Int64, _ actions: inout [Action]
    ) {
        guard let index = awaitedLookUp, case .peer(let name) = waiting[index].target else { return }
        lookUpEnded()
        if let user, user.id != sender {
            waiting[index].target = .member(.direct(of: sender, with: user))
        } else {
            // A wrong name is a user's mistake and not abuse.
            waiting.remove(at: index)
            actions.append(.replyUnknownUser(name: name))
            actions.append(.drop(.unknownUser))
        }
        advance(at: now, &actions)
    }

    /// The result of `findThread`; `nil` if the user is not a member.
    package mutating func resolvedThread(
        _ membership: Membership?, at now: Int64, _ actions: inout [Action]
    ) {
        guard let index = awaitedLookUp, case .thread = waiting[index].target else { return }
        lookUpEnded()
        if let membership {
            waiting[index].target = .member(membership)
        } else {
            waiting.remove(at: index)
            drop(.notAMember, at: now, &actions)
        }
        advance(at: now, &actions)
    }

    /// A lookup failed; the send waiting for it stays, and the lookup is retried.
    package mutating func lookUpFailed(at now: Int64, _ actions: inout [Action]) {
        guard isLookingUp else { return }
        isLookingUp = false
        let since = lookUpsFailSince ?? now
        lookUpsFailSince = since
        retry(awaySince: since, at: now, &actions)
    }

    /// The log accepted a message.
    package mutating func appendAccepted(at now: Int64, _ actions: inout [Action]) {
        inFlight -= 1
        guard !isClosed else { return }
        logAnswered(at: now)
        advance(at: now, &actions)
    }

    /// A message was rejected for good: it is dropped.
    package mutating func appendRefused(
        _ reason: DropReason, at now: Int64, _ actions: inout [Action]
    ) {
        inFlight -= 1
        guard !isClosed else { return }
        logAnswered(at: now)
        drop(reason, at: now, &actions)
        advance(at: now, &actions)
    }

    /// The log could not accept a message, but may later.
    package mutating func appendFailed(
        _ message: OutgoingMessage, at now: Int64, _ actions: inout [Action]
    ) {
        inFlight -= 1
        guard !isClosed else { return }
        let place = waiting.firstIndex { $0.number > message.number } ?? waiting.endIndex
        waiting.insert(
            WaitingSend(
                number: message.number, target: .member(message.membership), text: message.text, id: message.id,
                isCharged: true),
            at: place)
        let since = logAwaySince ?? now
        logAwaySince = since
        // The others in flight return first: they precede what waits.
        if inFlight == 0 { retry(awaySince: since, at: now, &actions) }
    }

    /// Performs what is due at the time requested by `wake(after:)`.
    package mutating func wake(at now: Int64, _ actions: inout [Action]) {
        // A later request may have replaced this one.
        guard let pausedUntil, now >= pausedUntil else { return }
        self.pausedUntil = nil
        advance(at: now, &actions)
    }

    /// The socket is closed: later results of the log or of lookups are ignored.
    package mutating func closed() {
        isClosed = true
        awaitsFacts = false
        isLookingUp = false
        pausedUntil = nil
        waiting = []
    }

    // MARK: Sends

    private mutating func enqueue(
        _ target: WaitingSend.Target, _ text: String, at now: Int64, _ actions: inout [Action]
    ) {
        guard waiting.count < Self.waitingLimit else {
            return close(.sendsWaitTooLong, &actions)
        }
        waiting.append(WaitingSend(number: nextNumber, target: target, text: text))
        nextNumber += 1
        advance(at: now, &actions)
    }

    /// Sends what can be sent, in order, and stops at the first that cannot; `answered` continues.
    private mutating func advance(at now: Int64, _ actions: inout [Action]) {
        awaitsFacts = !isClosed && pausedUntil == nil && inFlight < inFlightLimit && !waiting.isEmpty
        if !awaitsFacts { settle(&actions) }
    }

    /// Ends a step after the last send that may begin.
    private mutating func settle(_ actions: inout [Action]) {
        // Frees the memory: most sockets are idle most of the time.
        if waiting.isEmpty { waiting = [] }
        adjustReading(&actions)
    }

    /// The facts that the first waiting send needs in order to begin; `nil` if none may begin.
    package var query: Query? {
        guard awaitsFacts, let next = waiting.first else { return nil }
        return Query(needsPermit: !next.isCharged, target: next.target.queried)
    }

    /// The answer to `query`.
    package mutating func answered(_ facts: Facts, at now: Int64, _ actions: inout [Action]) {
        guard awaitsFacts, let next = waiting.first else { return }
        awaitsFacts = false
        // Before the lookup, so that lookups are limited like sends.
        if !next.isCharged {
            guard facts.permit == .granted else {
                let wait = if case .wait(let wait) = facts.permit { wait } else { Permit.moment }
                pause(wait, at: now, &actions)
                return settle(&actions)
            }
            waiting[0].isCharged = true
        }
        guard let membership = target(of: next, facts.membership, &actions) else { return settle(&actions) }
        waiting.removeFirst()
        inFlight += 1
        actions.append(
            .append(OutgoingMessage(number: next.number, membership: membership, text: next.text, id: next.id)))
        advance(at: now, &actions)
    }

    /// The target of the first waiting send; `nil` if it must be looked up first.
    /// - Parameter live: the user's membership here.
    private mutating func target(
        of send: WaitingSend, _ live: Membership?, _ actions: inout [Action]
    ) -> Membership? {
        if case .member(let known) = send.target {
            // After waiting for the log, the user's present membership decides.
            if let live { return live }
            // A direct thread begins with its first message.
            if known.thread.kind == .direct { return known }
        }
        // The pending result goes to the first send that needs one, so no other may need one now.
        guard !isLookingUp else { return nil }
        if let live { return live }
        switch send.target {
        case .member(let known):
            waiting[0].target = .thread(known.thread.id)
            actions.append(.findThread(known.thread.id))
        case .thread(let thread): actions.append(.findThread(thread))
        case .peer(let name): actions.append(.findUser(name: name))
        }
        isLookingUp = true
        return nil
    }

    /// The index of the send that a lookup is pending for; not always the first, since the log may return earlier ones.
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
        // While others are in flight, their results are unknown.
        logAwaySince = inFlight == 0 ? nil : now
    }

    private mutating func retry(awaySince since: Int64, at now: Int64, _ actions: inout [Action]) {
        guard now - since < Self.outageLimit else {
            return close(.unavailable, &actions)
        }
        pause(Self.outageRetry, at: now, &actions)
    }

    private mutating func pause(_ duration: Int64, at now: Int64, _ actions: inout [Action]) {
        let end = now + duration
        if let pausedUntil, pausedUntil >= end { return }
        pausedUntil = end
        actions.append(.wake(after: duration))
    }

    // MARK: Read cursors

    /// Reading continues while sends wait for their rate or the log, since the client may overdraw by `waitingLimit`.
    /// It stops while they wait for a lookup or too many are in flight, so that a fast client is slowed down rather
    /// than disconnected.
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

    // MARK: Closing

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
