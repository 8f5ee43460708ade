package import ParleyModel

/// The rows of the audit log that state changes write.
package enum AuditRules {
    /// - Parameter user: The member.
    static func memberSet(
        _ decision: StateDecision<MemberChange>, _ user: UserID, by actor: AuditActor
    ) -> StateDecision<MemberChange> {
        let change = decision.value
        guard let after = change.after, after != change.before else { return decision }
        // Joining by oneself changes no rights of others.
        if change.before == nil, actor == .user(user) { return decision }
        return decision.noting(
            AuditNote(
                change.before == nil ? .memberAdded : .role, by: actor, in: change.thread.id, of: user,
                before: change.before.map { .role($0) }, after: .role(after)))
    }

    static func memberRemoved(
        _ decision: StateDecision<MemberChange>, _ user: UserID, by actor: AuditActor
    ) -> StateDecision<MemberChange> {
        guard let before = decision.value.before, actor != .user(user) else { return decision }
        return decision.noting(
            AuditNote(
                .memberRemoved, by: actor, in: decision.value.thread.id, of: user, before: .role(before)))
    }

    /// - Parameter before: An earlier sanction of the kind, which may have ended.
    static func sanctioned(
        _ decision: StateDecision<MemberChange?>, _ user: UserID, _ sanction: Sanction, before: Sanction?,
        by actor: AuditActor
    ) -> StateDecision<MemberChange?> {
        guard let change = decision.value else { return decision }
        return decision.noting(
            AuditNote(
                sanction.kind == .mute ? .mute : .ban, by: actor, in: change.thread.id, of: user,
                reason: sanction.reason, before: before.map { .end($0.until) }, after: .end(sanction.until)))
    }

    static func sanctionEnded(
        _ decision: StateDecision<Sanction?>, _ user: UserID, in thread: ThreadID, by actor: AuditActor
    ) -> StateDecision<Sanction?> {
        guard let ended = decision.value else { return decision }
        return decision.noting(
            AuditNote(
                ended.kind == .mute ? .muteEnded : .banEnded, by: actor, in: thread, of: user,
                before: .end(ended.until)))
    }

    static func changed(_ decision: StateDecision<RoomChange?>, by actor: AuditActor) -> StateDecision<RoomChange?> {
        guard let change = decision.value, !decision.changes.isEmpty else { return decision }
        let isRenamed = change.before.visibility == change.after.visibility
        func state(_ info: ThreadInfo) -> AuditState {
            isRenamed ? .title(info.title) : .visibility(info.visibility)
        }
        return decision.noting(
            AuditNote(
                isRenamed ? .renamed : .visibility, by: actor, in: change.after.id,
                before: isRenamed ? named(change.before) : state(change.before), after: state(change.after)))
    }

    static func historySet(
        _ decision: StateDecision<RoomHistory?>, _ history: RoomHistory, in thread: ThreadID, by actor: AuditActor
    ) -> StateDecision<RoomHistory?> {
        guard let before = decision.value, !decision.changes.isEmpty else { return decision }
        return decision.noting(
            AuditNote(.history, by: actor, in: thread, before: .history(before), after: .history(history)))
    }

    static func roomSet(
        _ decision: StateDecision<RoomDetailsChange?>, in thread: ThreadID, by actor: AuditActor
    ) -> StateDecision<RoomDetailsChange?> {
        guard let change = decision.value, !decision.changes.isEmpty else { return decision }
        return decision.noting(
            AuditNote(
                .room, by: actor, in: thread, before: .room(change.before.options), after: .room(change.after.options)))
    }

    static func linkMade(
        _ decision: StateDecision<Bool>, _ link: RoomLink, into thread: ThreadID
    ) -> StateDecision<Bool> {
        guard decision.value else { return decision }
        return decision.noting(AuditNote(.linkMade, by: .user(link.author), in: thread, after: .link(link.id)))
    }

    static func linkRevoked(
        _ decision: StateDecision<RoomLink?>, of thread: ThreadID, by actor: AuditActor
    ) -> StateDecision<RoomLink?> {
        guard let link = decision.value else { return decision }
        return decision.noting(AuditNote(.linkRevoked, by: actor, in: thread, before: .link(link.id)))
    }

    /// Decisions of users about themselves, acceptances and requests, are not noted.
    static func entranceChanged(
        _ decision: StateDecision<EntranceOutcome>, _ change: EntranceChange, of user: UserID, in thread: ThreadID,
        by requester: UserID
    ) -> StateDecision<EntranceOutcome> {
        guard !decision.changes.isEmpty else { return decision }
        let actor = AuditActor.user(requester)
        let member = decision.value.member
        switch change {
        case .invite(let invitation):
            return decision.noting(AuditNote(.invited, by: actor, in: thread, of: user, after: .end(invitation.until)))
        case .endInvitation where user != requester:
            return decision.noting(AuditNote(.invitationWithdrawn, by: actor, in: thread, of: user))
        case .acceptRequest:
            return decision.noting(
                AuditNote(.memberAdded, by: actor, in: thread, of: user, after: member?.after.map { .role($0) }))
        case .refuseRequest:
            return decision.noting(AuditNote(.requestRefused, by: actor, in: thread, of: user))
        case .handOver:
            return decision.noting(
                AuditNote(
                    .role, by: actor, in: thread, of: user, before: member?.before.map { .role($0) },
                    after: .role(.owner))
            ).noting(
                AuditNote(
                    .role, by: actor, in: thread, of: requester, before: .role(.owner), after: .role(.moderator)))
        case .endInvitation, .acceptInvitation, .request, .withdrawRequest: return decision
        }
    }

    /// The maker's own membership is not noted.
    static func groupCreated(
        _ decision: StateDecision<GroupCreation>, _ group: NewGroup
    ) -> StateDecision<GroupCreation> {
        guard !decision.changes.isEmpty else { return decision }
        return group.members.reduce(decision) { decision, member in
            decision.noting(
                AuditNote(
                    .memberAdded, by: .user(group.maker.id), in: group.id, of: member.id, after: .role(.member)))
        }
    }

    static func threadDeleted(
        _ decision: StateDecision<DeletedThread?>, by actor: AuditActor
    ) -> StateDecision<DeletedThread?> {
        guard let thread = decision.value?.thread else { return decision }
        return decision.noting(
            AuditNote(.threadDeleted, by: actor, in: thread.id, before: named(thread)))
    }

    /// The title of a thread; `nil` for a group, whose title may be the names of users, who may be erased.
    private static func named(_ thread: ThreadInfo) -> AuditState? {
        thread.kind == .group ? nil : .title(thread.title)
    }

    /// The row of a suspension.
    /// - Parameter before: An earlier suspension, which may have ended.
    package static func suspended(
        _ user: UserID, _ suspension: Suspension, before: Suspension?, by actor: AuditActor
    ) -> AuditNote {
        AuditNote(
            .suspended, by: actor, of: user, reason: suspension.reason, before: before.map { .end($0.until) },
            after: .end(suspension.until))
    }

    package static func suspensionEnded(_ user: UserID, _ before: Suspension, by actor: AuditActor) -> AuditNote {
        AuditNote(.suspensionEnded, by: actor, of: user, before: .end(before.until))
    }

    package static func operatorSet(_ isOperator: Bool, _ user: UserID, by actor: AuditActor) -> AuditNote {
        AuditNote(isOperator ? .operatorGranted : .operatorRevoked, by: actor, of: user)
    }

    /// The row of a user who signs up. An account of another system has none, since that system knows its users.
    /// - Returns: `nil` for an account of another system.
    package static func signedUp(_ user: UserID, _ origin: AccountOrigin) -> AuditNote? {
        origin.isChosen ? AuditNote(.accountCreated, by: .user(user), of: user) : nil
    }

    /// The row of an account that an operator, a key or `parley admin` makes.
    package static func accountCreated(_ user: UserID, by actor: AuditActor) -> AuditNote {
        AuditNote(.accountCreated, by: actor, of: user)
    }

    /// The row of a user's change of the display name or the picture, which are not in the log.
    package static func profileSet(_ user: UserID) -> AuditNote {
        AuditNote(.profile, by: .user(user), of: user)
    }

    package static func keyCreated(_ name: String) -> AuditNote {
        AuditNote(.keyCreated, by: .command, after: .name(name))
    }

    package static func keyRevoked(_ name: String) -> AuditNote {
        AuditNote(.keyRevoked, by: .command, before: .name(name))
    }

    /// The row of the deletion of another user's message.
    package static func messageDeleted(
        _ message: MessageID, of sender: UserID, in thread: ThreadID, by user: UserID
    ) -> AuditNote {
        AuditNote(
            .messageDeleted, by: .user(user), in: thread, of: sender,
            before: .message(message))
    }
}

extension StateDecision {
    fileprivate func noting(_ note: AuditNote) -> StateDecision {
        var decision = self
        decision.changes.append(.audit(note))
        return decision
    }
}
