import ParleyModel
package import ParleyWire

/// One client's life on a v1 socket as a value: an event in, actions out (PROTOCOL §3).
///
/// - says hello, and holds live events back until the first command or for a second; a `resume` that comes first is
///   carried out before anything live;
/// - carries out the commands of the client in their order and answers them in their order: sends go to the log one
///   behind the other, what needs a look-up waits for it, what depends on everything before it (`history`, `join`,
///   `leave`, `auth`) waits for that, and `read` for the sends before it;
/// - leaves events out for a client that reads too slowly, and tells it which (`OutboundBacklog`);
/// - bounds everything that waits, and stops reading when too much does.
///
/// It knows no socket and no clock: its owner, a handler bound to an event loop, performs the actions and passes the
/// time in. Microseconds are by a clock that never goes back. After `Action.close` and `closed` nothing comes out any
/// more, whatever still goes in.
///
/// **What the owner delivers.** From its registration on, everything that happens in the user's threads goes to
/// `deliver`, in order. The heads in `hello` and the answer to `findEnds` are places in that order: what was handed in
/// before is up to them, what comes after is above them.
package struct V1Session: Sendable {
    enum Phase: Sendable {
        /// Hello has not been said.
        case opening
        /// Live events are held back.
        case greeted
        case live
        case closed
    }

    enum Incoming: Hashable, Sendable {
        case request(V1Request)
        case violation(V1CommandError)
    }

    /// What the next command waits for.
    indirect enum PendingOperation: Sendable {
        /// Whether the first waiting command may be sent.
        case permit
        /// What the user is to the thread of the first waiting command.
        case access
        /// A command that is carried out elsewhere.
        case outcome(number: UInt64)
        case page(Paging)
        case resume(Resuming)
    }

    /// The most commands that wait; then no more are read.
    package static let waitingLimit = 64
    /// The most commands that have begun and are not answered.
    package static let inFlightLimit = 128
    /// How long live events are held back for a client that says nothing, in microseconds.
    package static let holdTime: Int64 = 1_000_000
    /// How long to wait before what is away is tried again, in microseconds.
    package static let retryDelay: Int64 = 300_000
    /// How long a resume may wait for the log before the client is sent off, in microseconds.
    package static let outageLimit: Int64 = 30_000_000
    /// How long a drained client's sends may keep its socket, in microseconds.
    package static let graceTime: Int64 = 2_000_000
    /// Frames that are no commands, within 10 seconds, that end a connection.
    package static let badFrameLimit = 100

    /// How many events of a replay are read and sent at once.
    let replayChunk: Int32
    var phase = Phase.opening
    /// Hand in no more frames.
    var isPaused = false
    /// The first of `waiting` is paid for.
    var isPaid = false
    /// The owner was asked to tell when the channel is drained.
    var awaitsDrain = false
    /// No command begins any more; the socket closes when all are answered.
    var isLeaving = false
    var backlog: OutboundBacklog
    var replies = ReplyQueue()
    var waiting: [Incoming] = []
    var operation: PendingOperation?
    var hold: HoldBack? = HoldBack()
    /// Live events up to these places are not for the client; only of threads in which this node lags behind.
    var skips: [ThreadID: Position] = [:]
    /// What happened to users while the client was behind.
    var latePresence: [UserID: V1Presence] = [:]
    var storedWaits = StoredWaits()
    /// How many sends are on their way to the log.
    var appending: Int16 = 0
    var timers = SessionTimers()
    private var badFrames = BadFrameWindow()

    /// - Parameters:
    ///   - outboundBytes: see `Limits.outboundBytes`.
    ///   - replayChunk: how many events of a replay are read and sent at once.
    package init(outboundBytes: Int, replayChunk: Int = ThreadReplay.usualChunk) {
        backlog = OutboundBacklog(limit: outboundBytes)
        self.replayChunk = Int32(clamping: replayChunk)
    }

    /// Whether the owner is to hand in frames.
    package var isReading: Bool { !isPaused && phase != .closed }

    // MARK: Life

    /// Everything for the first frame is there; see the type for what its heads mean.
    package mutating func opened(
        _ hello: V1Hello, at now: Int64, _ client: some V1SessionClient, _ actions: inout [Action]
    ) {
        guard phase == .opening else { return }
        for thread in hello.threads {
            if let head = thread.head { hold?.drop(thread.thread.id, through: head) }
        }
        actions.append(.send(.hello(hello)))
        phase = .greeted
        advance(at: now, client, &actions)
        if phase == .greeted, operation == nil { arm(.endOfHold, at: now + Self.holdTime, now, &actions) }
    }

    /// This node is going: the client is told, and the socket closes after the delay, when its sends are answered.
    /// - Parameter delay: microseconds.
    package mutating func drain(after delay: Int64, ticket: String?, at now: Int64, _ actions: inout [Action]) {
        guard phase != .closed else { return }
        actions.append(.send(.bye(reconnectAfterMilliseconds: delay / 1000, ticket: ticket)))
        arm(.closeTimeout, at: now + delay, now, &actions)
    }

    /// The time asked for by `wake(after:)` has come.
    package mutating func wake(at now: Int64, _ client: some V1SessionClient, _ actions: inout [Action]) {
        for timer in timers.due(at: now) {
            // The one before may have ended it.
            guard phase != .closed else { return }
            switch timer {
            case .endOfHold:
                if phase == .greeted, operation == nil { goLive(&actions) }
            case .retry: retry(at: now, &actions)
            case .permit: if case .permit? = operation { operation = nil }
            case .storedCheck: askForStored(at: now, &actions)
            case .closeTimeout: leave(at: now, &actions)
            case .endOfGrace: close(.draining, &actions)
            }
        }
        guard phase != .closed else { return }
        if let delay = timers.next(at: now) { actions.append(.wake(after: delay)) }
        advance(at: now, client, &actions)
    }

    /// The socket is gone: what still comes changes nothing.
    package mutating func closed() {
        phase = .closed
        operation = nil
        hold = nil
        waiting = []
        replies = ReplyQueue()
        skips = [:]
        latePresence = [:]
        storedWaits = StoredWaits()
        appending = 0
        timers = SessionTimers()
    }

    private mutating func leave(at now: Int64, _ actions: inout [Action]) {
        isLeaving = true
        arm(.endOfGrace, at: now + Self.graceTime, now, &actions)
        closeIfDone(&actions)
    }

    /// Closes a leaving socket whose commands are answered.
    mutating func closeIfDone(_ actions: inout [Action]) {
        if isLeaving, replies.isEmpty { close(.draining, &actions) }
    }

    mutating func close(_ reason: CloseReason, _ actions: inout [Action]) {
        guard phase != .closed else { return }
        closed()
        actions.append(.close(reason))
    }

    mutating func arm(_ timer: SessionTimers.SessionTimer, at instant: Int64, _ now: Int64, _ actions: inout [Action]) {
        timers.set(timer, at: instant)
        if let delay = timers.next(at: now) { actions.append(.wake(after: delay)) }
    }

    // MARK: Frames

    /// A command arrived.
    package mutating func received(
        _ request: V1Request, at now: Int64, _ client: some V1SessionClient, _ actions: inout [Action]
    ) {
        take(.request(request), at: now, client, &actions)
    }

    /// A frame arrived that is no command.
    package mutating func received(
        _ violation: V1CommandError, at now: Int64, _ client: some V1SessionClient, _ actions: inout [Action]
    ) {
        take(.violation(violation), at: now, client, &actions)
    }

    private mutating func take(
        _ incoming: Incoming, at now: Int64, _ client: some V1SessionClient, _ actions: inout [Action]
    ) {
        guard phase != .closed else { return }
        if case .violation = incoming, badFrames.record(at: now, limit: Self.badFrameLimit) {
            return close(.abuse, &actions)
        }
        waiting.append(incoming)
        advance(at: now, client, &actions)
    }
}
