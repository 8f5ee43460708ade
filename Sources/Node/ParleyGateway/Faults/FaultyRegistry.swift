import ParleyFanOut
import ParleyModel
import ParleyWire

/// A member registry that registers each member behind a `FaultyMember`. Bound to its event loop.
final class FaultyRegistry: MemberRegistry {
    private let registry: any MemberRegistry
    private let fault: PlantedFault
    private var members: [ObjectIdentifier: FaultyMember] = [:]

    init(_ registry: any MemberRegistry, _ fault: PlantedFault) {
        self.registry = registry
        self.fault = fault
    }

    func register(_ socket: any RosterMember, of id: UserID) -> LocalUser? {
        let member = FaultyMember(socket, fault)
        guard let user = registry.register(member, of: id) else { return nil }
        members[ObjectIdentifier(socket)] = member
        return user
    }

    func unregister(_ socket: any RosterMember, of user: LocalUser) {
        guard let member = members.removeValue(forKey: ObjectIdentifier(socket)) else { return }
        registry.unregister(member, of: user)
    }
}

/// Decorates a roster member with a `PlantedFault`, which strikes one of its deliveries.
private final class FaultyMember: RosterMember {
    private let member: any RosterMember
    private let fault: PlantedFault
    /// The delivery that follows the next one.
    private var held: (frames: FrameBatch, thread: ThreadID)?

    init(_ member: any RosterMember, _ fault: PlantedFault) {
        self.member = member
        self.fault = fault
    }

    func deliver(_ frames: FrameBatch, in thread: ThreadID) {
        guard PlantedFault.isDelivery(frames.bytes) else { return member.deliver(frames, in: thread) }
        guard fault.strikes() else {
            member.deliver(frames, in: thread)
            if let held { member.deliver(held.frames, in: held.thread) }
            held = nil
            return
        }
        switch fault.kind {
        case .drop: break
        case .double:
            member.deliver(frames, in: thread)
            member.deliver(frames, in: thread)
        case .swap: held = (frames, thread)
        }
    }

    // MARK: Passed on

    var connection: ConnectionID { member.connection }
    var encoding: Encoding { member.encoding }
    var sessionToken: TokenHash? { member.sessionToken }
    var credentialsVersion: Int64? { member.credentialsVersion }
    var apiKey: TokenHash? { member.apiKey }

    func flush() { member.flush() }
    func memberAdded(_ membership: Membership, after end: Position?) { member.memberAdded(membership, after: end) }
    func muteChanged(_ membership: Membership) { member.muteChanged(membership) }
    func entrancesChanged(of thread: ThreadID?) { member.entrancesChanged(of: thread) }
    func roomChanged(_ membership: Membership) { member.roomChanged(membership) }
    func blocksChanged(_ blocks: UserBlocks) { member.blocksChanged(blocks) }
    func memberRemoved(_ membership: Membership) { member.memberRemoved(membership) }
    func membershipsChanged() { member.membershipsChanged() }
    func stored(_ thread: ThreadID, seq: Int64, epoch: Epoch) { member.stored(thread, seq: seq, epoch: epoch) }
    func renumbered(_ thread: ThreadID, _ renumbering: Renumbering) { member.renumbered(thread, renumbering) }
    func available(_ thread: ThreadID, after end: Position?) { member.available(thread, after: end) }
    func profileChanged(of user: UserID, _ frame: SharedFrame) { member.profileChanged(of: user, frame) }
    func lostTrack(of thread: ThreadID) { member.lostTrack(of: thread) }
    func sessionRevoked() { member.sessionRevoked() }
    func suspended(_ suspension: Suspension) { member.suspended(suspension) }
}
