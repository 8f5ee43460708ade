import ParleyAccounts
package import ParleyModel

extension Messaging {
    /// Adds a member to a room, or changes a member's role, at the request of a user.
    ///
    /// Rooms that are not private are open: any user who knows one may join it as a `member`, or as their `Restrictions`
    /// allow. All other changes require the owner, or a moderator for the roles `member` and `read_only`.
    /// - Parameter role: The role; `nil` keeps the role of a member, and gives a new member the role of their `Restrictions`.
    /// - Throws: `notFound` for an unknown thread or user, `notAMember`, `forbidden`, `rateLimited` and `unavailable`.
    package func setMember(
        _ reference: UserReference, of thread: ThreadID, role: Membership.Role?, by caller: Caller
    ) async throws(MessagingError) -> MemberOutcome {
        let user = try await member(reference, of: thread, for: caller)
        let isSelf = user.id == caller.user.id
        try await budgets.charge(caller.user.id)
        return try await set(
            user, of: thread, role: role, by: caller.user.id, as: .user(caller.user.id), waits: isSelf
        ) { [self] roles in
            let info = try roles.thread(for: caller.user.id)
            guard let own = roles.requester else {
                let isOpen = [nil, .member, .readOnly].contains(role) && info.kind == .room
                guard isSelf, isOpen else { throw MessagingError.notAMember }
                try roles.checkJoining(as: role, at: clock.milliseconds)
                guard role != .readOnly || roles.restrictions.isReadOnly else { throw MessagingError.notAMember }
                return
            }
            if let present = roles.subject, role == nil || role == present { return }
            let violation = ThreadRights.violation(
                giving: role ?? .member, insteadOf: roles.subject,
                as: Membership(thread: info, role: own, options: roles.options))
            if let violation { throw violation }
            try checkNotBanned(roles)
            guard roles.subject == nil else { return }
            if roles.isBlocked { throw RightsViolation.blockedUser }
            // Members do not undo what a moderator has decided.
            if own == .member, roles.restrictions != .none { throw RightsViolation.notAModerator }
        }
    }

    /// - Throws: `banned` if a moderator must end a ban of the subject first.
    private func checkNotBanned(_ roles: MemberRoles) throws(RightsViolation) {
        if roles.sanctions.ban?.isInForce(at: clock.milliseconds) == true { throw .banned }
    }

    /// Adds a member or changes a role at an operator's request, whatever the user's `Restrictions` are. A ban must be ended
    /// first.
    package func setMember(
        _ user: User, of thread: ThreadID, role: Membership.Role?, by requester: Operator
    ) async throws(MessagingError) -> MemberOutcome {
        try await charge(requester)
        return try await set(
            user, of: thread, role: role, by: requester.author ?? user.id, as: requester.actor, waits: false
        ) { [self] roles in
            guard let info = roles.thread else { throw MessagingError.noThread }
            if info.kind == .direct { throw RightsViolation.directThread }
            try checkNotBanned(roles)
        }
    }

    private func set(
        _ user: User, of thread: ThreadID, role: Membership.Role?, by requester: UserID, as actor: AuditActor,
        waits: Bool,
        authorize: @escaping Authorization
    ) async throws(MessagingError) -> MemberOutcome {
        let change = try await commit {
            try await ports.state.setMember(
                user, of: thread, role: role, by: requester, as: actor, at: clock.milliseconds,
                authorize: authorize)
        }
        let member = change.value
        guard let present = member.after else { throw MessagingError.noUser }
        let outcome = MemberOutcome(user: user, role: present, isNew: member.before == nil)
        let membership = Membership(
            thread: member.thread, role: present, mute: member.mute, start: member.start,
            options: member.options)
        if waits, outcome.isNew || change.outbox.isEmpty {
            _ = try await relayJoin(of: user, to: membership, change.outbox)
        } else if !change.outbox.isEmpty {
            let first = await relayedSoon(change.outbox, of: thread).first
            notify(added(membership, isNew: outcome.isNew, first, change.outbox), user.id)
        }
        return outcome
    }

    /// Returns the notification of a new membership or role. The nodes reload the membership if the position of the event is
    /// unknown, or the start of the log for a member who joined a moment ago.
    func added(
        _ membership: Membership, isNew: Bool, _ first: Receipt?, _ entries: [OutboxEntry]
    ) -> ControlEvent {
        guard let position = first?.position else { return .changed }
        let entry = entries.last { $0.isJoining(membership.thread.id) }?.id
        let begun = isNew ? membership.begun(at: position, entry) : membership
        guard begun.start?.isKnown ?? true else { return .changed }
        return .added(begun, after: position.seq - 1)
    }

    /// Returns the user named in a member change. A caller who may not see the thread learns nothing about its users.
    func member(
        _ reference: UserReference, of thread: ThreadID, for caller: Caller
    ) async throws(MessagingError) -> User {
        if let user = try await commit({ try await user(reference) }) { return user }
        _ = try await membership(of: caller, in: thread)
        throw .noUser
    }
}

/// The result of a member change.
package struct MemberOutcome: Hashable, Sendable {
    package var user: User
    /// The user's role after the change.
    package var role: Membership.Role
    /// Whether the user was not a member before.
    package var isNew: Bool
}
