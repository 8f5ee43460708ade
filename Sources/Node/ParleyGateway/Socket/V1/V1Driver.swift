import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyModel
import ParleySession
import ParleyWire

/// Owns a `V1Session` and performs its actions, in the extensions of this type.
///
/// The roster defines the order of deliveries; `FanOut.ends` replies at its place in that order.
final class V1Driver: SessionDriver, LoopBound {
    let connection: WebSocketConnection
    private var session: V1Session
    private let decoder = V1Decoder()
    /// Whether the client watches the presence of users.
    private var watchesUsers = false
    /// The number of thread lookups so far.
    var lookups: UInt32 = 0
    /// Threads that were looked up and whose memberships are being made live.
    var awaited: AwaitedThreads?

    init(_ connection: WebSocketConnection) {
        self.connection = connection
        session = V1Session(outboundBytes: connection.services.settings.limits.outboundBytes)
    }

    var services: ConnectionServices { connection.services }
    var loop: GatewayLoop { connection.loop }
    var user: User { connection.user }
    var isOpen: Bool { connection.isOpen }
    var behind: [ThreadID: ClosedRange<Int64>] { session.behind }

    // MARK: Life

    func opened() {
        sendHello()
    }

    func closed() {
        session.closed()
        awaited = nil
        if watchesUsers { services.delivery.presence.unwatch(connection.id) }
    }

    func drain(after delay: TimeAmount) {
        let delay = delay.nanoseconds / 1000
        let ticket = resumeTicket
        step { $0.drain(after: delay, ticket: ticket, at: $1, &$2) }
    }

    /// Opens another socket for the same user, on any node.
    var resumeTicket: String { services.accounts.tickets.issueResume(for: connection.identity) }

    // MARK: Frames in

    var isReading: Bool { session.isReading }

    func received(_ payload: ByteBuffer) {
        let request = Result { () throws(V1CommandError) in try decoder.decode(payload) }
        step { $0.received(request, at: $1, &$2) }
    }

    // MARK: Events in threads

    func deliver(_ frames: FrameBatch, in thread: ThreadID) {
        var actions: [V1Session.Action] = []
        let (bytes, waiting) = (frames.bytes.readableBytes, connection.waitingBytes)
        if session.deliver(frames.frames, in: thread, bytes: bytes, waiting: waiting, &actions) {
            connection.write(frames.bytes)
        }
        for action in actions { perform(action) }
    }

    func memberAdded(_ membership: Membership, after end: Position?) {
        var thread = V1Thread(membership, at: services.clock.milliseconds)
        thread.head = end
        thread.begin(at: membership.start)
        thread.readSeq = thread.head?.seq ?? 0
        step { session, _, actions in session.membershipAdded(thread, &actions) }
    }

    func muteChanged(_ membership: Membership) {
        let (thread, mute) = (membership.thread.id, membership.mute(at: services.clock.milliseconds))
        step { session, _, actions in session.muteChanged(in: thread, to: mute, &actions) }
    }

    func entrancesChanged(of thread: ThreadID?) {
        step { session, _, actions in session.entrancesChanged(of: thread, &actions) }
    }

    func roomChanged(_ membership: Membership) {
        step { session, _, actions in
            session.roomChanged(
                membership.thread.id, to: membership.options, isBlocked: membership.isBlocked, &actions)
        }
    }

    func blocksChanged(_ blocks: UserBlocks) {
        let made = blocks.made.sorted { $0.text < $1.text }
        step { session, _, actions in session.blocksChanged(to: made, &actions) }
    }

    func memberRemoved(_ membership: Membership) {
        let thread = V1Thread(thread: membership.thread, role: membership.role)
        step { $0.membershipRemoved(thread, at: $1, &$2) }
    }

    func membershipsChanged() {
        resolveAwaited()
    }

    func stored(_ thread: ThreadID, seq: Int64, epoch: Epoch) {
        step { session, _, actions in session.stored(thread, seq: seq, epoch: epoch, &actions) }
    }

    func renumbered(_ thread: ThreadID, _ renumbering: Renumbering) {
        let isComplete = renumbering.from > renumbering.to
        let state: V1Resumption.State =
            renumbering.isContinued ? (isComplete ? .live : .page) : .rolledBack
        let resumption = V1Resumption(
            state, epoch: renumbering.epoch, from: renumbering.from, to: renumbering.to)
        step { session, _, actions in session.rolledBack(thread, resumption, &actions) }
    }

    func available(_ thread: ThreadID, after end: Position?) {
        step { session, _, actions in session.becameAvailable(thread, after: end, &actions) }
    }

    // MARK: Users

    func profileChanged(of user: UserID, _ frame: SharedFrame) {
        step { session, _, actions in session.profileChanged(of: user, frame, &actions) }
    }

    func watch(_ number: UInt64, _ users: [UserID]) {
        guard isOpen else { return }
        watchesUsers = true
        services.delivery.presence.watch(
            connection.id, by: user.id, users, deliver: loop.callback(to: self) { $0.send($1) },
            completion: loop.callback(to: self) { driver, result in
                driver.finished(number, result.map { .done }.mapError { _ in .unavailable })
            })
    }

    private func send(_ states: [UserPresence]) {
        step { session, _, actions in
            for state in states {
                session.presence(
                    V1Presence(user: state.user, isOnline: state.isOnline, lastSeen: state.lastSeen), &actions)
            }
        }
    }

    // MARK: Steps

    /// Takes the session one step further and performs its actions.
    func step(_ step: (inout V1Session, V1Session.Moment, inout [V1Session.Action]) -> Void) {
        var actions: [V1Session.Action] = []
        let moment = V1Session.Moment(now: NIODeadline.now().microseconds, waitingBytes: connection.waitingBytes)
        services.telemetry.metrics.timingSession(at: moment.now) {
            step(&session, moment, &actions)
            while let query = session.query {
                session.answered(facts(for: query, at: moment.now), at: moment, &actions)
            }
        }
        guard !actions.isEmpty else { return }
        for action in actions { perform(action) }
        connection.flush()
    }

    private func facts(for query: V1Session.Query, at now: Int64) -> V1Session.Facts {
        var facts = V1Session.Facts()
        if let budget = query.budget { facts.permit = connection.take(budget, at: now) }
        if let thread = query.thread { facts.membership = connection.membership(of: thread) }
        for thread in query.resumed {
            if let membership = connection.membership(of: thread) { facts.members[thread] = membership.firstSeq }
        }
        if query.needsTime { facts.milliseconds = services.clock.milliseconds }
        return facts
    }

    // MARK: Bytes out

    /// Writes bytes that `deliver` has not counted.
    func write(_ bytes: ByteBuffer) {
        session.wrote(bytes.readableBytes)
        connection.write(bytes)
    }

    /// Control frames always have room; but a client that makes the server reply and does not read is cut off.
    func reserve(_ bytes: Int) -> Bool {
        guard connection.waitingBytes <= 2 * services.settings.limits.outboundBytes else {
            services.telemetry.metrics.cutOffSlowSocket()
            connection.close(.lostTrack)
            return false
        }
        session.wrote(bytes)
        return true
    }

    func drained() {
        // Not at once: the session may be in the middle of a step.
        loop.soon(for: self) { driver in
            driver.step { $0.drained(at: $1, &$2) }
        }
    }
}
