package import NIOCore
package import ParleyModel
package import ParleyWire

/// A socket, as the roster of its event loop sees it. All calls are on that loop.
package protocol RosterMember: AnyObject {
    var connection: ConnectionID { get }
    var encoding: Encoding { get }
    /// The session by which the socket was opened, if it was one.
    var sessionToken: TokenHash? { get }

    /// Writes frames; the roster calls `flush` at the end of its tick.
    /// - Parameter count: how many frames there are in `bytes`.
    func deliver(_ bytes: ByteBuffer, count: Int)
    func flush()

    /// The user's memberships changed.
    func membershipsChanged()
    /// Events of a thread are in neither the bus nor the log any more: the client must read them elsewhere.
    func lostTrack(of thread: ThreadID)
    /// The session by which the socket was opened is void.
    func sessionRevoked()
}
