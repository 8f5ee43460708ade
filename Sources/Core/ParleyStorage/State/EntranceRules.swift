package import ParleyModel

/// A change of the row of an invitation or a request.
package enum EntranceRow: Hashable, Sendable {
    /// In place of an earlier invitation. Unless the user is erased.
    case putInvitation(Invitation)
    case deleteInvitation
    /// In place of an earlier request. Expired requests of the user are deleted. Unless the user is erased.
    case putRequest(JoinRequest)
    case deleteRequest
}

/// The rules for ways into threads. The caller has authorised the change.
package enum EntranceRules {
    /// - Returns: the value has the facts as they were before.
    /// - Throws: `StoreError.failed` if a user enters a thread that does not exist.
    package static func decide(
        _ change: EntranceChange, of user: User, in thread: ThreadID, by requester: UserID, _ facts: EntranceFacts,
        at milliseconds: Int64
    ) throws(StoreError) -> StateDecision<EntranceOutcome> {
        var decision = StateDecision(EntranceOutcome(before: facts))
        switch change {
        case .invite, .endInvitation, .request, .withdrawRequest, .refuseRequest:
            decision.changes = rows(of: change, facts, at: milliseconds).map { .entrance($0, of: user.id, in: thread) }
        case .acceptInvitation, .acceptRequest:
            return try entered(user, by: requester, facts, at: milliseconds)
        case .handOver:
            guard let info = facts.roles.thread, let before = facts.roles.subject else { return decision }
            decision.value.member = MemberChange(
                thread: info, before: before, after: .owner, mute: facts.roles.sanctions.mute,
                start: facts.roles.start)
            decision.changes = [.setRole(user.id, of: thread, .owner), .setRole(requester, of: thread, .moderator)]
            if before != .owner { decision.announce(.role(user.id, .owner, by: requester), in: thread) }
            decision.announce(.role(requester, .moderator, by: requester), in: thread)
        }
        return decision
    }

    private static func entered(
        _ user: User, by requester: UserID, _ facts: EntranceFacts, at milliseconds: Int64
    ) throws(StoreError) -> StateDecision<EntranceOutcome> {
        let joined = try StateRules.setMember(
            user, role: nil, by: requester,
            MemberFacts(roles: facts.roles, isSubjectPresent: facts.isSubjectPresent), at: milliseconds)
        var decision = StateDecision(EntranceOutcome(before: facts, member: joined.value))
        decision.changes = joined.changes
        decision.outbox = joined.outbox
        return decision
    }

    private static func rows(
        of change: EntranceChange, _ facts: EntranceFacts, at now: Int64
    ) -> [EntranceRow] {
        switch change {
        case .invite(let invitation): return facts.isSubjectPresent ? [.putInvitation(invitation)] : []
        case .endInvitation: return facts.invitation == nil ? [] : [.deleteInvitation]
        case .request(let request): return put(request, facts, at: now).map { [.putRequest($0)] } ?? []
        case .withdrawRequest:
            switch facts.request?.state {
            case .open: return [.deleteRequest]
            case .refused: return facts.request.map { [.putRequest($0.with(.withdrawn))] } ?? []
            case .withdrawn, nil: return []
            }
        case .refuseRequest:
            guard let request = facts.request, request.state == .open else { return [] }
            return [.putRequest(request.with(.refused))]
        case .acceptInvitation, .acceptRequest, .handOver: return []
        }
    }

    /// Returns the row of a new request; `nil` if an earlier one lasts.
    private static func put(_ request: JoinRequest, _ facts: EntranceFacts, at now: Int64) -> JoinRequest? {
        guard facts.isSubjectPresent else { return nil }
        if let earlier = facts.request, earlier.isCurrent(at: now) {
            // It looks like a new one to the user.
            return earlier.state == .withdrawn ? request.with(.refused) : nil
        }
        let isBanned = facts.roles.sanctions.ban?.isInForce(at: now) == true
        let isShown = !isBanned && facts.counts.requestsOfThread < JoinRequest.limitOfThread
        return request.with(isShown ? .open : .refused)
    }

    /// - Returns: the value has the users who prevent the group; if there are any, nothing changes.
    /// - Throws: `StoreError.taken` if the id belongs to another thread.
    package static func create(
        _ group: NewGroup, _ facts: GroupFacts, at milliseconds: Int64
    ) throws(StoreError) -> StateDecision<GroupCreation> {
        guard facts.isFree else { throw .taken }
        var decision = StateDecision(
            GroupCreation(
                thread: group.info, missing: Set(group.all.map(\.id)).subtracting(facts.present),
                blocked: facts.blocked))
        guard decision.value.missing.isEmpty, decision.value.blocked.isEmpty else { return decision }
        decision.changes = [.createGroup(group.id, title: group.title, at: milliseconds)]
        for user in group.all {
            let role: Membership.Role = user.id == group.maker.id ? .owner : .member
            decision.changes.append(.addMember(user.id, of: group.id, role, at: milliseconds))
            let adder = user.id == group.maker.id ? nil : group.maker.id
            decision.announce(.joined(user, by: adder), in: group.id)
        }
        return decision
    }
}
