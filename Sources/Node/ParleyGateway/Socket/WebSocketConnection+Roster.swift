import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyModel
import ParleySession
import ParleyWire

/// The roster's deliveries go to the driver.
extension WebSocketConnection: RosterMember {
    var connection: ConnectionID { id }
    var sessionToken: TokenHash? { identity.session }
    var credentialsVersion: Int64? { identity.credentialsVersion }
    var apiKey: TokenHash? { identity.apiKey }

    func deliver(_ frames: FrameBatch, in thread: ThreadID) { driver?.deliver(frames, in: thread) }
    func memberAdded(_ membership: Membership, after end: Position?) { driver?.memberAdded(membership, after: end) }
    func muteChanged(_ membership: Membership) { driver?.muteChanged(membership) }
    func entrancesChanged(of thread: ThreadID?) { driver?.entrancesChanged(of: thread) }
    func roomChanged(_ membership: Membership) { driver?.roomChanged(membership) }
    func blocksChanged(_ blocks: UserBlocks) { driver?.blocksChanged(blocks) }
    func memberRemoved(_ membership: Membership) { driver?.memberRemoved(membership) }
    func membershipsChanged() { driver?.membershipsChanged() }
    func stored(_ thread: ThreadID, seq: Int64, epoch: Epoch) { driver?.stored(thread, seq: seq, epoch: epoch) }
    func renumbered(_ thread: ThreadID, _ renumbering: Renumbering) { driver?.renumbered(thread, renumbering) }
    func available(_ thread: ThreadID, after end: Position?) { driver?.available(thread, after: end) }
    func profileChanged(of user: UserID, _ frame: SharedFrame) { driver?.profileChanged(of: user, frame) }
    func lostTrack(of thread: ThreadID) { close(.missedEvents) }
    func sessionRevoked() { close(.sessionRevoked) }
    func suspended(_ suspension: Suspension) {
        if suspension.isInForce(at: services.clock.milliseconds) { close(.suspended(suspension)) }
    }
}

/// The state of the connection for operators.
extension WebSocketConnection {
    var status: ConnectionStatus {
        let now = isOpen ? HeartbeatWheel.seconds(loop.eventLoop) : lastActivity
        return ConnectionStatus(
            connection: id, dialect: encoding.dialect, credential: identity.credential.name, address: address,
            silentSeconds: max(0, now - lastActivity), waitingBytes: waitingBytes, behind: driver?.behind ?? [:])
    }
}

extension Identity.Credential {
    /// The name of the kind in reports.
    fileprivate var name: String {
        switch self {
        case .session: "session"
        case .jwt: "jwt"
        case .password: "password"
        case .apiKey: "api_key"
        case .ticket: "ticket"
        }
    }
}
