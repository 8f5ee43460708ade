import NIOCore
import ParleyFanOut
import ParleyModel
import ParleyWire

/// Drives the session of one WebSocket: hands events to it and performs its actions. There is one driver for each
/// session type; the connection owns the driver from its beginning to its end.
///
/// Bound to the event loop of the connection.
protocol SessionDriver: AnyObject {
    /// Whether the session accepts messages of the client now.
    var isReading: Bool { get }
    /// Events that were left out because the client reads too slowly, by thread.
    var behind: [ThreadID: ClosedRange<Int64>] { get }

    /// The connection is registered: events of the user's threads are delivered from now on.
    func opened()
    /// The client has sent a text message.
    func received(_ payload: ByteBuffer)
    /// The client has sent a binary message, which the parser refuses unless the node echoes.
    func received(binary payload: ByteBuffer)
    /// This node is draining; called once.
    /// - Parameter delay: when the connection is to close.
    func drain(after delay: TimeAmount)
    /// The connection is closing: nothing more is delivered or received.
    func closed()

    // MARK: Events, see `RosterMember`

    func deliver(_ frames: FrameBatch, in thread: ThreadID)
    func memberAdded(_ membership: Membership, after end: Position?)
    func muteChanged(_ membership: Membership)
    func entrancesChanged(of thread: ThreadID?)
    func roomChanged(_ membership: Membership)
    func blocksChanged(_ blocks: UserBlocks)
    func memberRemoved(_ membership: Membership)
    func membershipsChanged()
    func stored(_ thread: ThreadID, seq: Int64, epoch: Epoch)
    func renumbered(_ thread: ThreadID, _ renumbering: Renumbering)
    func available(_ thread: ThreadID, after end: Position?)
    func profileChanged(of user: UserID, _ frame: SharedFrame)

    // MARK: Bytes out

    /// Reserves room for a frame outside of the session's actions, such as a pong; closes the connection if there is
    /// none.
    func reserve(_ bytes: Int) -> Bool
    /// As few bytes wait as the driver requested by `WebSocketConnection.notifyDrained`.
    func drained()
}

extension SessionDriver {
    func roomChanged(_ membership: Membership) {}
    func blocksChanged(_ blocks: UserBlocks) {}
    func received(binary payload: ByteBuffer) {}
    func profileChanged(of user: UserID, _ frame: SharedFrame) {}
}
