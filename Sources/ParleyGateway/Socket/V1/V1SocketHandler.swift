import NIOCore
import ParleyFanOut
import ParleyModel
import ParleySession
import ParleyWire

/// A socket of the v1 dialect: a `V1Session` decides, and the extensions of this type perform what it decides.
///
/// The order of what is delivered is the roster's, and what the session asks about it (`FanOut.ends`) is answered at
/// its place in that order.
final class V1SocketHandler: SocketHandler {
    var session: V1Session
    private let decoder: V1Decoder
    /// The session wants to know when at most so many bytes wait.
    private var awaitedDrain: Int?
    /// Threads that were looked up and are made live.
    var awaited: AwaitedThreads?
    /// The client has asked for the presence of users.
    var watchesUsers = false
    /// How many look-ups there were.
    var loader: UInt64 = 0

    override init(gateway: Gateway, admission: Admission) {
        let limits = gateway.settings.limits
        session = V1Session(outboundBytes: limits.outboundBytes)
        decoder = V1Decoder()
        super.init(gateway: gateway, admission: admission)
    }

    // MARK: Lifecycle

    override func opened() {
        greet()
    }

    override func retired() {
        session.closed()
        awaited = nil
        awaitedDrain = nil
        if watchesUsers { gateway.presence.unwatch(connection) }
    }

    override func drain() {
        let delay = gateway.drainDelay().nanoseconds / 1000
        let ticket = gateway.resumeTicket(for: identity)
        perform { session, now, actions in
            session.drain(after: delay, ticket: ticket, at: now, &actions)
        }
    }

    // MARK: Frames in

    override var isReading: Bool { session.isReading }

    override func receive(_ payload: ByteBuffer) {
        let request = Result { () throws(V1CommandError) in try decoder.decode(payload) }
        perform { session, now, actions in
            switch request {
            case .success(let request): session.received(request, at: now, self, &actions)
            case .failure(let violation): session.received(violation, at: now, self, &actions)
            }
        }
    }

    // MARK: What happens in threads

    override func deliver(_ frames: FrameBatch, in thread: ThreadID) {
        var actions: [V1Session.Action] = []
        if session.deliver(frames.frames, in: thread, bytes: frames.bytes.readableBytes, self, &actions) {
            write(frames.bytes)
        }
        for action in actions { perform(action) }
    }

    override func memberAdded(_ membership: Membership, after end: Position?) {
        let thread = V1Thread(
            thread: membership.thread, role: membership.role, head: end, unread: 0, readSeq: end?.seq ?? 0)
        perform { session, _, actions in session.membershipAdded(thread, &actions) }
    }

    override func memberRemoved(_ membership: Membership) {
        let thread = V1Thread(thread: membership.thread, role: membership.role)
        perform { $0.membershipRemoved(thread, at: $1, self, &$2) }
    }

    override func membershipsChanged() {
        answerAwaited()
    }

    override func stored(_ thread: ThreadID, seq: Int64, epoch: Epoch?) {
        perform { session, _, actions in session.stored(thread, seq: seq, epoch: epoch, &actions) }
    }

    override func renumbered(_ thread: ThreadID, _ renumbering: Renumbering) {
        let resumption = V1Resumption(
            .rolledBack, epoch: renumbering.epoch, from: renumbering.from, to: renumbering.to)
        perform { session, _, actions in session.rolledBack(thread, resumption, &actions) }
    }

    // MARK: Output

    /// Control frames always have room; but a client that has the server answer and does not read is cut off.
    override func reply(_ frame: ByteBuffer) {
        guard waitingBytes <= 2 * gateway.settings.limits.outboundBytes else {
            gateway.metrics.cutOffSlowSocket()
            return close(.lostTrack)
        }
        session.wrote(frame.readableBytes)
        super.reply(frame)
    }

    override func flush() {
        super.flush()
        madeRoom()
    }

    override func madeRoom() {
        guard let below = awaitedDrain, waitingBytes <= below else { return }
        tellDrained()
    }

    /// The session wants to know when at most so many bytes wait, which may be so already: that is seen at the flush
    /// which ends every step.
    func awaitDrain(below bytes: Int) {
        awaitedDrain = bytes
    }

    /// Not at once: the session may be in the middle of a step.
    private func tellDrained() {
        awaitedDrain = nil
        soon { handler in
            handler.perform { $0.drained(at: $1, handler, &$2) }
        }
    }
}
