import NIOCore
import ParleyFanOut
import ParleyModel
import ParleySession
import ParleyWire

/// Sends each message back as it came: the listener without a dialect, for tests of framing, compression and closing
/// (`GatewaySettings.echoes`). It takes no part in deliveries.
///
/// Bound to the event loop of its connection.
final class EchoDriver: SessionDriver {
    private let connection: WebSocketConnection

    init(_ connection: WebSocketConnection) {
        self.connection = connection
    }

    var isReading: Bool { true }
    var behind: [ThreadID: ClosedRange<Int64>] { [:] }

    func received(_ payload: ByteBuffer) {
        send(WebSocketFrame.text(payload, compressed: connection.encoding.compressed))
    }

    func received(binary payload: ByteBuffer) {
        send(WebSocketFrame.binary(payload, compressed: connection.encoding.compressed))
    }

    private func send(_ frame: ByteBuffer) {
        connection.write(frame)
        connection.flush()
    }

    func drain(after delay: TimeAmount) {
        connection.loop.later(delay, for: connection) { $0.close(.goingAway) }
    }

    func reserve(_ bytes: Int) -> Bool { !connection.isClosing }

    // MARK: No session

    func opened() {}
    func closed() {}
    func deliver(_ frames: FrameBatch, in thread: ThreadID) {}
    func memberAdded(_ membership: Membership, after end: Position?) {}
    func muteChanged(_ membership: Membership) {}
    func entrancesChanged(of thread: ThreadID?) {}
    func memberRemoved(_ membership: Membership) {}
    func membershipsChanged() {}
    func stored(_ thread: ThreadID, seq: Int64, epoch: Epoch) {}
    func renumbered(_ thread: ThreadID, _ renumbering: Renumbering) {}
    func available(_ thread: ThreadID, after end: Position?) {}
    func drained() {}
}
