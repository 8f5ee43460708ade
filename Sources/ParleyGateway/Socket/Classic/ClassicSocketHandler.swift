import NIOCore
import ParleyFanOut
import ParleyModel
import ParleySession
import ParleyWire

/// A socket of the classic or the direct dialect: a `Session` decides, and `ClassicSocketHandler+Session.swift` performs
/// what it decides. What waits for a client that reads too slowly is bounded; then it is closed.
final class ClassicSocketHandler: SocketHandler {
    var session: ClassicSession
    private var budget: OutboundBudget
    /// The thread that a send waits for until its membership is live here.
    var awaitedThread: ThreadID?

    override init(gateway: Gateway, admission: Admission) {
        session = ClassicSession()
        budget = OutboundBudget(limit: gateway.settings.limits.outboundBytes)
        super.init(gateway: gateway, admission: admission)
    }

    override var isReading: Bool { session.isReading }

    override func receive(_ payload: ByteBuffer) {
        let command = Result { () throws(CommandError) in try decode(payload) }
        perform { session, now, actions in
            switch command {
            case .success(let command):
                if let reason = command.text.flatMap(rejection) { return session.refused(reason, at: now, &actions) }
                session.received(command, at: now, self, &actions)
            case .failure(let violation): session.received(violation, at: now, &actions)
            }
        }
    }

    private func decode(_ payload: ByteBuffer) throws(CommandError) -> ClientCommand {
        switch encoding.dialect {
        case .classic: try ClassicCodec.decode(payload)
        case .direct: try DirectCodec.decode(payload)
        case .line, .v1: throw .unknownCommand("")
        }
    }

    override func retired() {
        session.closed()
    }

    override func membershipsChanged() {
        guard let thread = awaitedThread, let membership = local?.memberships[thread] else { return }
        awaitedThread = nil
        perform { $0.resolvedThread(membership, at: $1, self, &$2) }
    }

    // MARK: Output

    override func deliver(_ frames: FrameBatch, in thread: ThreadID) {
        if hasRoom(for: frames.bytes) { write(frames.bytes) }
    }

    override func reply(_ frame: ByteBuffer) {
        guard hasRoom(for: frame) else { return }
        super.reply(frame)
    }

    /// Closes the socket of a client that reads too slowly.
    private func hasRoom(for bytes: ByteBuffer) -> Bool {
        guard !isClosing else { return false }
        guard budget.take(bytes.readableBytes, waiting: { waitingBytes }) else {
            gateway.metrics.cutOffSlowSocket()
            close(.lostTrack)
            return false
        }
        return true
    }
}
