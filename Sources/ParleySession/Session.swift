package import ParleyModel
package import ParleyWire

/// One client's life on a WebSocket as a value: an event in, actions out.
///
/// - decides what a command means for this client: a send, a look-up first, a read mark, or nothing;
/// - keeps the order of the client's sends while one of them waits for its rate, a look-up or the log;
/// - counts bad frames and ends the connection when there are too many;
/// - bounds everything that waits: 256 sends over the rate, 256 on their way to the log.
///
/// It knows no socket and no clock: its owner, a handler bound to an event loop, performs the actions and passes the
/// time in. Microseconds are by a clock that never goes back.
package struct Session: Sendable {
    /// What the owner does for the session, in order.
    package enum Action: Hashable, Sendable {
        /// Append a message; answer with `appendAccepted` or `appendFailed`.
        case append(OutgoingMessage)
        /// Find the user of this name; answer with `resolvedUser`.
        case findUser(name: String)
        /// This user may have become a member of a thread just now; answer with `resolvedThread`.
        case findThread(ThreadID)
        case markRead(ThreadID)
        /// Tell this client alone that there is no such user.
        case replyUnknownUser(name: String)
        /// Call `wake` after so many microseconds.
        case wake(after: Int64)
        /// Hand in no more commands until `resumeReading`.
        case pauseReading
        case resumeReading
        /// A frame was dropped; count it.
        case drop(DropReason)
        case close(CloseReason)
    }

    /// The most sends that wait for the rate, a look-up or the log.
    package static let waitingLimit = 256
    /// The most sends on their way to the log.
    package static let inFlightLimit = 256
    /// How long the log may be away before the client is sent off, in microseconds.
    package static let outageLimit: Int64 = 30_000_000
    /// How long to wait before the log is tried again, in microseconds.
    private static let outageRetry: Int64 = 500_000

    private enum Blocked: Hashable {
        case no
        case byRate
        case byLookUp
        case byOutage
    }

    private let textLimit: Int32
    private var badFrames = BadFrameWindow()
    private var blocked = Blocked.no
    private var isPaused = false
    private var isClosed = false
    private var inFlight: Int16 = 0
    /// Numbers sends, so that those the log refused go back to their place in the order.
    private var nextNumber: UInt32 = 0
    private var outageBegan: Int64?
    private var waiting: [WaitingSend] = []

    /// - Parameter textLimit: the longest message, in Unicode scalars.
    package init(textLimit: Int) {
        self.textLimit = Int32(clamping: textLimit)
    }

    /// Whether the owner is to hand in commands.
    package var isReading: Bool { !isPaused && !isClosed }

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

    /// A frame arrived that is no command.
    package mutating func received(_ flaw: CommandFlaw, at now: Int64, _ actions: inout [Action]) {
        guard !isClosed else { return }
        drop(DropReason(flaw), at: now, &actions)
    }

    /// The answer to `findUser`.
    package mutating func resolvedUser(
        _ user: User?, at now: Int64, _ client: some SessionClient, _ actions: inout [Action]
    ) {
        guard blocked == .byLookUp, let first = waiting.first, case .peer(let name) = first.target else { return }
        blocked = .no
        if let user, user.id != client.user.id {
            waiting[0].target = .member(client.directMembership(with: user))
        } else {
            waiting.removeFirst()
            // A wrong name is a user's slip and not abuse, but it costs a look-up: it is charged like a send.
            _ = client.takeSend(at: now)
            actions.append(.replyUnknownUser(name: name))
            actions.append(.drop(.unknownUser))
        }
        advance(at: now, client, &actions)
    }

    /// The answer to `findThread`; `nil` if the user is no member of it.
    package mutating func resolvedThread(
        _ membership: Membership?, at now: Int64, _ client: some SessionClient, _ actions: inout [Action]
    ) {
        guard blocked == .byLookUp, let first = waiting.first, case .thread = first.target else { return }
        blocked = .no
        if let membership {
            waiting[0].target = .member(membership)
        } else {
            waiting.removeFirst()
            drop(.notAMember, at: now, &actions)
        }
        advance(at: now, client, &actions)
    }

    /// A look-up did not come to an end; the send that waited for it stays and is tried again.
    package mutating func lookUpFailed(at now: Int64, _ client: some SessionClient, _ actions: inout [Action]) {
        guard blocked == .byLookUp else { return }
        beginOutage(at: now, &actions)
    }

    /// The log has taken a message.
    package mutating func appendAccepted(at now: Int64, _ client: some SessionClient, _ actions: inout [Action]) {
        inFlight -= 1
        outageBegan = nil
        advance(at: now, client, &actions)
    }

    /// The log has not taken a message.
    /// - Parameter isRetryable: whether it may be taken later; otherwise it is dropped.
    package mutating func appendFailed(
        _ message: OutgoingMessage, isRetryable: Bool, at now: Int64, _ client: some SessionClient,
        _ actions: inout [Action]
    ) {
        inFlight -= 1
        guard !isClosed else { return }
        guard isRetryable else {
            drop(.refusedByLog, at: now, &actions)
            return advance(at: now, client, &actions)
        }
        let place = waiting.firstIndex { $0.number > message.number } ?? waiting.endIndex
        waiting.insert(
            WaitingSend(number: message.number, target: .member(message.membership), text: message.text), at: place)
        beginOutage(at: now, &actions)
    }

    /// The time asked for by `wake(after:)` has come.
    package mutating func wake(at now: Int64, _ client: some SessionClient, _ actions: inout [Action]) {
        guard blocked == .byRate || blocked == .byOutage else { return }
        blocked = .no
        advance(at: now, client, &actions)
    }

    /// The socket is gone: what still comes back from the log or a look-up changes nothing.
    package mutating func closed() {
        isClosed = true
        waiting = []
    }

    // MARK: Sends

    private mutating func enqueue(
        _ target: WaitingSend.Target, _ text: String, at now: Int64, _ client: some SessionClient,
        _ actions: inout [Action]
    ) {
        if let flaw = MessageText.flaw(in: text, limit: Int(textLimit)) {
            return drop(DropReason(flaw), at: now, &actions)
        }
        guard waiting.count < Self.waitingLimit else {
            return close(.sendsWaitTooLong, &actions)
        }
        waiting.append(WaitingSend(number: nextNumber, target: target, text: text))
        nextNumber &+= 1
        advance(at: now, client, &actions)
    }

    /// Sends off what can go, in order, and stops at the first that cannot.
    private mutating func advance(at now: Int64, _ client: some SessionClient, _ actions: inout [Action]) {
        while !isClosed, blocked == .no, inFlight < Self.inFlightLimit, let next = waiting.first {
            guard let membership = target(of: next, client, &actions) else { break }
            guard membership.role != .readOnly else {
                waiting.removeFirst()
                drop(.readOnly, at: now, &actions)
                continue
            }
            let wait = client.takeSend(at: now)
            guard wait == 0 else {
                blocked = .byRate
                actions.append(.wake(after: wait))
                break
            }
            waiting.removeFirst()
            inFlight += 1
            actions.append(.append(OutgoingMessage(number: next.number, membership: membership, text: next.text)))
        }
        adjustReading(&actions)
    }

    /// Where a send goes; `nil` if that must be looked up first.
    private mutating func target(
        of send: WaitingSend, _ client: some SessionClient, _ actions: inout [Action]
    ) -> Membership? {
        switch send.target {
        case .member(let membership):
            return membership
        case .thread(let thread):
            if let membership = client.membership(of: thread) { return membership }
            actions.append(.findThread(thread))
        case .peer(let name):
            if let membership = client.directMembership(withUserNamed: name) { return membership }
            actions.append(.findUser(name: name))
        }
        blocked = .byLookUp
        return nil
    }

    private mutating func beginOutage(at now: Int64, _ actions: inout [Action]) {
        let began = outageBegan ?? now
        outageBegan = began
        guard now - began < Self.outageLimit, waiting.count <= Self.waitingLimit else {
            return close(.unavailable, &actions)
        }
        if blocked != .byOutage {
            blocked = .byOutage
            actions.append(.wake(after: Self.outageRetry))
        }
    }

    /// Reading goes on while sends wait for their rate, since the client may overdraw by `waitingLimit`; it stops
    /// while they wait for us, so that a fast client is slowed down and not sent off.
    private mutating func adjustReading(_ actions: inout [Action]) {
        let mustPause = blocked == .byLookUp || inFlight >= Self.inFlightLimit
        if mustPause, !isPaused {
            isPaused = true
            actions.append(.pauseReading)
        } else if isPaused, blocked != .byLookUp, inFlight <= Self.inFlightLimit / 2 {
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
        closed()
        actions.append(.close(reason))
    }
}
