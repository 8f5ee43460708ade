import NIOCore
import ParleyFanOut
import ParleyModel
import ParleySession
import ParleyWire

/// The driver of classic and direct WebSockets. The connection of a client that reads too slowly is closed.
extension ClassicDriver: SessionDriver where Connection == WebSocketConnection {
    var behind: [ThreadID: ClosedRange<Int64>] { [:] }

    func opened() {
        let threads = connection.local?.memberships.all.map(\.thread.id) ?? []
        unavailable = services.delivery.fanOut.unavailable(among: threads)
    }

    /// Messages that were sent while this node did not reach the thread are not delivered, and these clients cannot be
    /// told what they lack: they reconnect and load the history.
    func available(_ thread: ThreadID, after end: Position?) {
        if unavailable.remove(thread) != nil { connection.close(.missedEvents) }
    }

    func received(_ payload: ByteBuffer) {
        received(Result { () throws(CommandError) in try decode(payload) })
    }

    private func decode(_ payload: ByteBuffer) throws(CommandError) -> ClientCommand {
        switch connection.encoding.dialect {
        case .classic: try ClassicCodec.decode(payload)
        case .direct: try DirectCodec.decode(payload)
        case .line, .v1: throw .unknownCommand("")
        }
    }

    func drain(after delay: TimeAmount) {
        connection.loop.later(delay, for: connection) { $0.close(.goingAway) }
    }

    // MARK: Bytes out

    func deliver(_ frames: FrameBatch, in thread: ThreadID) {
        if reserve(frames.bytes.readableBytes) { connection.write(frames.bytes) }
    }

    func reserve(_ bytes: Int) -> Bool {
        guard !connection.isClosing else { return false }
        guard hasRoom(for: bytes, waiting: { connection.waitingBytes }) else {
            services.telemetry.metrics.cutOffSlowSocket()
            connection.close(.lostTrack)
            return false
        }
        return true
    }

    func drained() {}

    // MARK: Events that these clients do not receive

    func memberAdded(_ membership: Membership, after end: Position?) {}
    func muteChanged(_ membership: Membership) {}
    func entrancesChanged(of thread: ThreadID?) {}
    func memberRemoved(_ membership: Membership) {}
    func stored(_ thread: ThreadID, seq: Int64, epoch: Epoch) {}
    func renumbered(_ thread: ThreadID, _ renumbering: Renumbering) {}
}

extension WebSocketConnection: ClassicConnection {
    func pauseReading() {
        if !isClosing { setReading(false) }
    }

    func resumeReading() {
        setReading(true)
        drainParser()
    }

    func foundByName(_ name: String) { local?.foundByName(name) }

    func replyUnknownUser(_ name: String) {
        reply(WebSocketFrame.text(DirectCodec.unknownUser(name), compressed: encoding.compressed))
    }
}
