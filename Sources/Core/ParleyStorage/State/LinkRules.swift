package import ParleyModel

/// The rules of links that lead into rooms.
extension StateRules {
    /// - Parameter present: the links of the room.
    /// - Returns: as the value, whether the link is added. Then the links that are not in force go, so that a room keeps at most
    ///   `RoomLink.mostInForce` rows.
    /// - Throws: `StoreError.failed` if there is no such thread.
    package static func addLink(
        _ link: RoomLink, code: TokenHash, _ roles: MemberRoles, beside present: [RoomLink]
    ) throws(StoreError) -> StateDecision<Bool> {
        guard let thread = roles.thread?.id else { throw .failed("there is no such thread") }
        let ended = present.filter { !$0.isInForce(at: link.since) }.map(\.id)
        guard present.count - ended.count < RoomLink.mostInForce else { return StateDecision(false) }
        var decision = StateDecision(true)
        if !ended.isEmpty { decision.changes = [.removeLinks(ended, of: thread)] }
        decision.changes.append(.addLink(link, code: code, to: thread))
        return decision
    }

    /// - Returns: as the value, the link; `nil` if the room has no such link.
    package static func removeLink(
        _ id: LinkID, of thread: ThreadID, among present: [RoomLink]
    ) -> StateDecision<RoomLink?> {
        var decision = StateDecision(present.first { $0.id == id })
        if decision.value != nil { decision.changes = [.removeLinks([id], of: thread)] }
        return decision
    }

    /// Whether a link leads its user into the room. One that is used up leads a member, who may repeat a call.
    package static func leads(_ facts: LinkFacts, at now: Int64) -> Bool {
        facts.member.roles.subject == nil ? facts.link.isInForce(at: now) : facts.link.isCurrent(at: now)
    }

    /// - Returns: the value `nil` if the link does not lead the user.
    /// - Throws: `StoreError.failed` if the user is unknown or erased, or if there is no such thread.
    package static func follow(
        _ user: User, _ facts: LinkFacts, at milliseconds: Int64
    ) throws(StoreError) -> StateDecision<JoinedRoom?> {
        guard leads(facts, at: milliseconds) else { return StateDecision(nil) }
        let roles = facts.member.roles
        guard let thread = roles.thread else { throw .failed("there is no such thread") }
        let joined = try join(
            user,
            RoomFacts(
                room: thread, isNew: false, isUserPresent: facts.member.isSubjectPresent, role: roles.subject,
                restrictions: roles.restrictions, sanctions: roles.sanctions, history: roles.history, start: roles.start
            ),
            at: milliseconds)
        var decision = StateDecision<JoinedRoom?>(joined.value)
        (decision.changes, decision.outbox) = (joined.changes, joined.outbox)
        if joined.value.isNewMember {
            decision.changes.append(.useLink(facts.link.id, of: thread.id, at: milliseconds))
        }
        return decision
    }
}
