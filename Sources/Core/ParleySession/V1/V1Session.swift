import ParleyModel
package import ParleyWire

/// The state machine of a v1 client on one connection: events in, actions out (PROTOCOL §3).
///
/// - Sends hello, and holds live events until the first command or for a second; a `resume` that comes first is carried
///   out before anything live.
/// - Carries out and answers the client's commands in order: sends go to the log one after the other, a command that
///   needs a lookup waits for it, one that depends on everything before it (`history`, `join`, `leave`, `auth`) waits
///   for that, and `read` for the sends before it.
/// - Skips events for a client that reads too slowly, and reports the skipped ranges to it (`OutboundBacklog`).
/// - Bounds everything that waits, and stops reading when too much does.
///
/// A value without socket and clock: its owner, a handler bound to an event loop, passes in events with the `Moment` at
/// which they happen, and performs the actions. Once it has emitted `Action.close` or received `closed`, the session emits
/// nothing, whatever is passed in.
///
/// **What the owner answers.** A command begins with the facts that its owner has at that time. After each event, before
/// it performs the actions, the owner answers `query` by `answered` until there is no query.
///
/// **What the owner delivers.** From its registration on, all events of the user's threads go to `deliver`, in order.
/// The heads in `hello` and the result of `findEnds` are positions in that order: events passed in before are up to
/// them, later ones above them.
package struct V1Session: Sendable {
    enum Phase: Sendable {
        /// Hello has not been sent.
        case opening
        /// Live events are held back.
        case greeted
        case live
        case closed
    }

    /// The result that the next command waits for.
    indirect enum PendingOperation: Sendable {
        /// The answer to `query`.
        case facts
        /// A token for the first waiting command.
        case permit
        /// The user's access to the thread of the first waiting command.
        case access
        /// The result of a command that the owner carries out.
        case outcome(number: UInt64)
        /// The attachments of a message, which is then appended.
        case attachments(V1Append)
        case page(Paging)
        case resume(Resuming)
    }

    /// Maximum number of waiting commands; at the limit no more are read.
    package static let waitingLimit = 64
    /// Maximum number of commands that have begun and are not answered.
    package static let inFlightLimit = 128
    /// The time that live events are held for a client that sends nothing, in microseconds.
    package static let holdTime: Int64 = 1_000_000
    /// Delay before a retry after an outage, in microseconds.
    package static let retryDelay: Int64 = 300_000
    /// The longest time that a resume waits for the log before the connection is closed, in microseconds.
    package static let outageLimit: Int64 = 30_000_000
    /// The longest time that a resume waits for the store to report the valid part of an ended epoch, before the
    /// connection is closed, in microseconds.
    package static let storeLimit: Int64 = 5_000_000
    /// The longest time that unanswered sends keep the socket of a drained client open, in microseconds.
    package static let graceTime: Int64 = 2_000_000
    /// The users whose new names and profiles are kept for a client that is behind. It is not notified of others.
    package static let lateProfileLimit = 100
    /// Invalid frames within 10 seconds that close the connection.
    package static let badFrameLimit = 100

    // In an order without gaps: there are many sessions.
    /// The number of events of a replay that are read and sent at once.
    let replayChunk: Int32
    var phase = Phase.opening
    /// The owner passes in no frames.
    var isPaused = false
    /// The owner was asked to report when the channel has drained.
    var awaitsDrain = false
    /// No more commands begin; the socket closes when all are answered.
    var isLeaving = false
    /// The number of sends in flight to the log.
    var appending: Int16 = 0
    var backlog: OutboundBacklog
    var replies = ReplyQueue()
    var waiting: [Result<V1Request, V1CommandError>] = []
    var operation: PendingOperation?
    var hold: HoldBack? = HoldBack()
    /// Live events up to these positions are not for the client; only for threads in which this node lags behind.
    var skips: [ThreadID: Position] = [:]
    /// Threads that the client was told are unavailable, with the positions that it wants to resume from; seq 0 if it has
    /// named none.
    var unavailable: [ThreadID: Position] = [:]
    /// Presence changes while the client was behind.
    var latePresence: [UserID: V1Presence] = [:]
    /// Notifications about users' names and profiles while the client was behind, at most `lateProfileLimit`.
    var lateProfiles: [UserID: SharedFrame] = [:]
    var timers = SessionTimers()
    private var badFrames = BadFrameWindow()
    var storedWaits = StoredWaits()

    /// - Parameters:
    ///   - outboundBytes: see `Limits.outboundBytes`.
    ///   - replayChunk: how many events of a replay are read and sent at once.
    package init(outboundBytes: Int, replayChunk: Int = ThreadReplay.usualChunk) {
        backlog = OutboundBacklog(limit: outboundBytes)
        self.replayChunk = Int32(clamping: replayChunk)
    }

    /// Whether the owner is to pass in frames.
    package var isReading: Bool { !isPaused && phase != .closed }

    // MARK: Lifecycle

    /// Opens the session with the content of the first frame; see the type for the meaning of its heads.
    package mutating func opened(
        _ hello: V1Hello, at moment: Moment, _ actions: inout [Action]
    ) {
        guard phase == .opening else { return }
        for thread in hello.threads {
            if let head = thread.head { hold?.drop(thread.thread.id, through: head) }
            if thread.isUnavailable {
                // `becameAvailable` covers what was held.
                hold?.forget(thread.thread.id)
                unavailable[thread.thread.id] = Position(epoch: Epoch(""), seq: 0)
            }
        }
        actions.append(.send(.hello(hello)))
        phase = .greeted
        advance(at: moment, &actions)
        if phase == .greeted, operation == nil { arm(.endOfHold, at: moment.now + Self.holdTime, moment.now, &actions) }
    }

    /// The node is shutting down: the client is sent `bye`, and the socket closes after the delay, once its sends are
    /// answered.
    /// - Parameter delay: microseconds.
    package mutating func drain(after delay: Int64, ticket: String?, at moment: Moment, _ actions: inout [Action]) {
        guard phase != .closed else { return }
        actions.append(.send(.bye(reconnectAfterMilliseconds: delay / 1000, ticket: ticket)))
        arm(.closeTimeout, at: moment.now + delay, moment.now, &actions)
    }

    /// Performs what is due at the time requested by `wake(after:)`.
    package mutating func wake(at moment: Moment, _ actions: inout [Action]) {
        for timer in timers.due(at: moment.now) {
            // The previous timer may have closed the session.
            guard phase != .closed else { return }
            switch timer {
            case .endOfHold:
                if phase == .greeted, operation == nil { goLive(&actions) }
            case .retry: retry(at: moment.now, &actions)
            case .storeTimeout: endSearch(&actions)
            case .permit: if case .permit? = operation { operation = nil }
            case .storedCheck: requestStoredPositions(at: moment.now, &actions)
            case .closeTimeout: leave(at: moment.now, &actions)
            case .endOfGrace: close(.draining, &actions)
            }
        }
        guard phase != .closed else { return }
        if let delay = timers.next(at: moment.now) { actions.append(.wake(after: delay)) }
        advance(at: moment, &actions)
    }

    /// The socket is closed: later results are ignored.
    package mutating func closed() {
        phase = .closed
        operation = nil
        hold = nil
        waiting = []
        replies = ReplyQueue()
        skips = [:]
        unavailable = [:]
        latePresence = [:]
        lateProfiles = [:]
        storedWaits = StoredWaits()
        appending = 0
        timers = SessionTimers()
    }

    private mutating func leave(at now: Int64, _ actions: inout [Action]) {
        isLeaving = true
        arm(.endOfGrace, at: now + Self.graceTime, now, &actions)
        closeIfDone(&actions)
    }

    /// Closes a leaving socket once its commands are answered.
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

    /// A command was received, or an invalid frame.
    package mutating func received(
        _ request: Result<V1Request, V1CommandError>, at moment: Moment, _ actions: inout [Action]
    ) {
        guard phase != .closed else { return }
        if case .failure = request, badFrames.record(at: moment.now, limit: Self.badFrameLimit) {
            return close(.abuse, &actions)
        }
        waiting.append(request)
        advance(at: moment, &actions)
    }
}
