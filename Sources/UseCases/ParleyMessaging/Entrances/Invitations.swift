import ParleyAccounts
package import ParleyModel

/// Invitations, which moderators make, and the invited users accept or decline.
extension Messaging {
    /// Invites a user to a room or group, in place of an earlier invitation, at the request of a moderator.
    /// - Returns: The invitation, and whether it is the only one.
    /// - Throws: `notFound` for an unknown thread or user, `notAMember`; `forbidden`, also for a banned user; `conflict` for a
    ///   member, and beyond the limits of the thread and the user; `rateLimited` and `unavailable`.
    package func invite(
        _ reference: UserReference, to thread: ThreadID, _ terms: EntranceTerms, by caller: Caller
    ) async throws(MessagingError) -> (record: InvitationRecord, isNew: Bool) {
        let user = try await member(reference, of: thread, for: caller)
        try await budgets.charge(caller.user.id)
        try await checkModerator(of: thread, caller)
        try await budgets.chargeInvitation(caller.user.id)
        let now = clock.milliseconds
        let invitation = Invitation(by: caller.user.id, text: terms.text, since: now, until: terms.until(from: now))
        let change = try await changeEntrance(.invite(invitation), of: user, in: thread, by: caller.user.id) { facts in
            try Self.checkModerator(facts.roles, caller.user.id)
            guard facts.isSubjectPresent else { throw MessagingError.noUser }
            if facts.roles.subject != nil { throw MessagingError.conflict("the user is a member of this thread") }
            if facts.roles.sanctions.ban?.isInForce(at: now) == true { throw RightsViolation.banned }
            if facts.roles.isBlocked { throw RightsViolation.blockedUser }
            if facts.invitation?.isOpen(at: now) == true { return }
            guard facts.counts.invitationsOfThread < Invitation.limitOfThread else {
                throw MessagingError.conflict(
                    "the thread has \(Invitation.limitOfThread) open invitations, the maximum")
            }
            guard facts.counts.invitationsOfUser < Invitation.limitOfUser else {
                throw MessagingError.conflict("the user has \(Invitation.limitOfUser) open invitations, the maximum")
            }
        }
        announceEntrances()
        let before = change.value.before
        guard let info = before.roles.thread else { throw .noThread }
        let record = InvitationRecord(thread: info, user: user, author: caller.user, invitation: invitation)
        return (record, before.invitation?.isOpen(at: now) != true)
    }

    /// Withdraws an invitation, at the request of a moderator.
    /// - Throws: `notFound` also if the user has no invitation.
    package func withdrawInvitation(
        of reference: UserReference, to thread: ThreadID, by caller: Caller
    ) async throws(MessagingError) {
        let user = try await member(reference, of: thread, for: caller)
        try await budgets.charge(caller.user.id)
        let now = clock.milliseconds
        _ = try await changeEntrance(.endInvitation, of: user, in: thread, by: caller.user.id) { facts in
            try Self.checkModerator(facts.roles, caller.user.id)
            guard facts.invitation?.isOpen(at: now) == true else {
                throw MessagingError.notFound("the user has no invitation to this thread")
            }
        }
        announceEntrances()
    }

    /// Returns the open invitations to a thread, in the byte order of the users' ids, for its moderators.
    package func invitations(
        to thread: ThreadID, after user: UserID?, limit: Int, by caller: Caller
    ) async throws(MessagingError) -> ListPage<InvitationRecord> {
        try await checkModerator(of: thread, caller)
        let now = clock.milliseconds
        return try await read {
            ListPage(
                try await ports.state.invitations(in: thread, at: now, after: user, limit: limit + 1), limit: limit)
        }
    }

    /// Returns the open invitations of the caller, in the byte order of the threads' ids.
    package func invitations(
        of caller: Caller, after thread: ThreadID?, limit: Int
    ) async throws(MessagingError) -> ListPage<InvitationRecord> {
        let now = clock.milliseconds
        return try await read {
            ListPage(
                try await ports.state.invitations(of: caller.user.id, at: now, after: thread, limit: limit + 1),
                limit: limit)
        }
    }

    private static let noInvitation = MessagingError.notFound("you have no invitation to this thread")

    /// Makes the caller a member of a thread that they are invited to. The log has the event when this returns.
    /// - Throws: `notFound` without an open invitation; `forbidden` while the user is banned; `rateLimited`, `unavailable`.
    package func acceptInvitation(to thread: ThreadID, by caller: Caller) async throws(MessagingError) {
        let user = caller.user
        try await budgets.charge(user.id)
        let now = clock.milliseconds
        let change = try await changeEntrance(.acceptInvitation, of: user, in: thread, by: user.id) { facts in
            if facts.roles.subject != nil { return }
            guard facts.roles.thread != nil, facts.invitation?.isOpen(at: now) == true else {
                throw Self.noInvitation
            }
            if let ban = facts.roles.sanctions.ban, ban.isInForce(at: now) { throw MessagingError(ban) }
        }
        announceEntrances()
        _ = try await entered(user, change, waits: true)
    }

    /// Declines an invitation of the caller.
    /// - Throws: `notFound` without an open invitation.
    package func declineInvitation(to thread: ThreadID, by caller: Caller) async throws(MessagingError) {
        let user = caller.user
        try await budgets.charge(user.id)
        let now = clock.milliseconds
        _ = try await changeEntrance(.endInvitation, of: user, in: thread, by: user.id) { facts in
            guard facts.invitation?.isOpen(at: now) == true else { throw Self.noInvitation }
        }
        announceEntrances()
    }
}

extension Budgets {
    /// Takes one invitation of the day.
    ///
    /// While the shared store is unavailable, no user is limited.
    /// - Throws: `rateLimited`.
    fileprivate func chargeInvitation(_ user: UserID) async throws(MessagingError) {
        guard let rates = settings.rates else { return }
        let rate = TokenRate(interval: 86_400_000_000 / Int64(Invitation.limitOfDay), burst: Invitation.limitOfDay)
        let wait = (try? await rates.take(1, of: .invitations(user), at: rate)) ?? 0
        if wait > 0 { throw .rateLimited(afterMilliseconds: (wait + 999) / 1000) }
    }
}
