package import NIOCore
package import ParleyModel
package import ParleyWire

/// A socket as seen by the roster of its event loop. All calls are on that loop.
package protocol RosterMember: AnyObject {
    var connection: ConnectionID { get }
    var encoding: Encoding { get }
    /// The auth session that opened the socket, if any.
    var sessionToken: TokenHash? { get }

    /// The user's credentials version when the socket was opened without a session. The socket is invalid when the
    /// version rises.
    var credentialsVersion: Int64? { get }
    /// The stored API key that opened the socket, if any.
    var apiKey: TokenHash? { get }

    /// Writes frames of a thread. The roster calls `flush` at the end of its tick.
    func deliver(_ frames: FrameBatch, in thread: ThreadID)
    func flush()

    /// Adds a membership, before anything of the thread is delivered.
    /// - Parameter end: The position that the deliveries begin above; `nil` for a thread without events.
    func memberAdded(_ membership: Membership, after end: Position?)
    /// The user's mute in a thread has begun, changed or been ended.
    func muteChanged(_ membership: Membership)
    /// The user's invitations have changed (`nil`), or the invitations or requests of a thread that the user moderates.
    func entrancesChanged(of thread: ThreadID?)
    /// The options of the room have changed, or whether the direct thread is blocked.
    func roomChanged(_ membership: Membership)
    /// The user blocks other users than before.
    func blocksChanged(_ blocks: UserBlocks)
    /// Ends a membership. Nothing of the thread is delivered after this call.
    func memberRemoved(_ membership: Membership)
    /// Reports that the user's memberships have changed. This is the last call for a change.
    func membershipsChanged()
    /// The store has the event at this position of a thread; its sender waits for that.
    func stored(_ thread: ThreadID, seq: Int64, epoch: Epoch)
    /// A thread's numbering has started over; what follows is of the new one.
    func renumbered(_ thread: ThreadID, _ renumbering: Renumbering)
    /// Reports that a thread that was unavailable to some sockets has recovered. Deliveries continue above `end`, which
    /// is `nil` for a thread without events.
    func available(_ thread: ThreadID, after end: Position?)
    /// Reports that events of a thread are neither on the bus nor in the log. The client must load them as history.
    func lostTrack(of thread: ThreadID)
    /// A user with whom the socket shares a thread, or its own user, has another name or profile.
    /// - Parameter frame: The notification for the client.
    func profileChanged(of user: UserID, _ frame: SharedFrame)
    /// Reports that the credentials of the socket are invalid, or that its user was erased.
    func sessionRevoked()
    /// Reports that the user has a suspension, which may have ended.
    func suspended(_ suspension: Suspension)
}

extension RosterMember {
    package var credentialsVersion: Int64? { nil }
    package var apiKey: TokenHash? { nil }

    package func roomChanged(_ membership: Membership) {}
    package func blocksChanged(_ blocks: UserBlocks) {}
    package func available(_ thread: ThreadID, after end: Position?) {}
    package func profileChanged(of user: UserID, _ frame: SharedFrame) {}
    package func entrancesChanged(of thread: ThreadID?) {}
}

/// Several frames in one encoding, as the bytes of one write.
package struct FrameBatch {
    /// The frames, in order.
    package let frames: [SharedFrame]
    package let bytes: ByteBuffer
    /// The number of frames in `bytes`. Some frames do not exist in some dialects.
    package let count: Int

    init(_ frames: [SharedFrame], _ encoding: Encoding) {
        var gathered: ByteBuffer?
        var count = 0
        for frame in frames {
            guard let bytes = frame.bytes(for: encoding) else { continue }
            count += 1
            // The first frame is not copied, so a single frame is never copied.
            gathered.setOrWriteImmutableBuffer(bytes)
        }
        self.frames = frames
        bytes = gathered ?? ByteBuffer()
        self.count = count
    }
}
