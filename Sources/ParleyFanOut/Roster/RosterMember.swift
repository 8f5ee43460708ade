package import NIOCore
package import ParleyModel
package import ParleyWire

/// A socket, for the roster of its event loop. All calls are on that loop.
package protocol RosterMember: AnyObject {
    var connection: ConnectionID { get }
    var encoding: Encoding { get }
    /// The auth session that the socket was opened with, if any.
    var sessionToken: TokenHash? { get }

    /// The user's credentials version when the socket was opened, if it was opened without a session: the socket is
    /// invalid when the version rises.
    var credentialsVersion: Int64? { get }
    /// The stored API key that the socket was opened with, if any.
    var apiKey: TokenHash? { get }

    /// Writes frames of a thread; the roster calls `flush` at the end of its tick.
    func deliver(_ frames: FrameBatch, in thread: ThreadID)
    func flush()

    /// The user is a member of a thread from now on; called before anything of it is delivered.
    /// - Parameter end: the deliveries begin above it; `nil` for a thread without events.
    func memberAdded(_ membership: Membership, after end: Position?)
    /// The user is not a member of a thread any more: nothing of it is delivered after this.
    func memberRemoved(_ membership: Membership)
    /// The user's memberships have changed in any way; called last.
    func membershipsChanged()
    /// The store has the event at this position of a thread; its sender waits for that.
    func stored(_ thread: ThreadID, seq: Int64, epoch: Epoch?)
    /// A thread's numbering has started over; what follows is of the new one.
    func renumbered(_ thread: ThreadID, _ renumbering: Renumbering)
    /// A thread was unavailable to some sockets and no longer is; deliveries continue above `end`, which is `nil` for a
    /// thread without events.
    func available(_ thread: ThreadID, after end: Position?)
    /// Events of a thread are neither on the bus nor in the log any more: the client must load them as history.
    func lostTrack(of thread: ThreadID)
    /// The credentials of the socket are invalid, or its user was erased.
    func sessionRevoked()
}

extension RosterMember {
    package var credentialsVersion: Int64? { nil }
    package var apiKey: TokenHash? { nil }

    package func available(_ thread: ThreadID, after end: Position?) {}
}

/// Several frames in one encoding, as the bytes of one write.
package struct FrameBatch {
    /// In order.
    package let frames: [SharedFrame]
    package let bytes: ByteBuffer
    /// How many of the frames are in `bytes`: some do not exist in some dialects.
    package let count: Int

    init(_ frames: [SharedFrame], _ encoding: Encoding) {
        var gathered: ByteBuffer?
        var count = 0
        for frame in frames {
            guard let bytes = frame.bytes(for: encoding) else { continue }
            count += 1
            // The first is not copied, so a single frame never is.
            gathered.setOrWriteImmutableBuffer(bytes)
        }
        self.frames = frames
        bytes = gathered ?? ByteBuffer()
        self.count = count
    }
}
