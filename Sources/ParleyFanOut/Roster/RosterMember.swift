package import ParleyModel
package import ParleyWire

/// A socket, as the roster of its event loop sees it. All calls are on that loop.
package protocol RosterMember: AnyObject {
    var connection: ConnectionID { get }
    var encoding: Encoding { get }
    /// The session by which the socket was opened, if it was one.
    var sessionToken: TokenHash? { get }

    /// The user's credentials version that the socket was opened under, if it hangs on no session: it is void when that
    /// rises.
    var credentialsVersion: Int64? { get }
    /// The stored API key that the socket was opened with, if it was one.
    var apiKey: TokenHash? { get }

    /// Writes frames of a thread; the roster calls `flush` at the end of its tick.
    func deliver(_ frames: FrameBatch, in thread: ThreadID)
    func flush()

    /// The user is in a thread from now on; said before anything is delivered from it.
    /// - Parameter end: what is delivered begins above it; `nil` for a thread without events.
    func memberAdded(_ membership: Membership, after end: Position?)
    /// The user is in a thread no more: nothing is delivered from it after this.
    func memberRemoved(_ membership: Membership)
    /// The user's memberships changed in any way; said last.
    func membershipsChanged()
    /// The store has the event at this place of a thread's log, whose sender wants to know.
    func stored(_ thread: ThreadID, seq: Int64, epoch: Epoch?)
    /// A thread's numbering has started over; what is delivered from now on is of the new one.
    func renumbered(_ thread: ThreadID, _ renumbering: Renumbering)
    /// Events of a thread are in neither the bus nor the log any more: the client must read them elsewhere.
    func lostTrack(of thread: ThreadID)
    /// What the socket was opened with is void, or its user erased.
    func sessionRevoked()
}

extension RosterMember {
    package var credentialsVersion: Int64? { nil }
    package var apiKey: TokenHash? { nil }
}
