package import ParleyModel

extension Messaging {
    /// Ends a membership at the request of a member; callers who remove themselves leave (`leave`). A removed user cannot join
    /// again until a moderator, the owner or an operator adds them.
    /// - Throws: `notFound` for an unknown thread or user, or one who is not a member; `notAMember`, `forbidden`,
    ///   `rateLimited` and `unavailable`.
    package func removeMember(
        _ reference: UserReference, from thread: ThreadID, by caller: Caller
    ) async throws(MessagingError) {
        let user = try await member(reference, of: thread, for: caller)
        guard user.id != caller.user.id else {
            guard try await leave(thread, by: caller) != nil else { throw .notAMember }
            return
        }
        try await budgets.charge(caller.user.id)
        try await remove(user, from: thread, by: caller.user.id, as: .user(caller.user.id)) { roles in
            let info = try roles.thread(for: caller.user.id)
            guard let own = roles.requester else { throw MessagingError.notAMember }
            guard let present = roles.subject else { throw Self.noMember }
            let violation = ThreadRights.violation(removing: present, as: Membership(thread: info, role: own))
            if let violation { throw violation }
        }
    }

    /// Ends a membership at an operator's request, with the same consequence unless the operator is the member.
    package func removeMember(
        _ user: User, from thread: ThreadID, by requester: Operator
    ) async throws(MessagingError) {
        let author = requester.author
        try await charge(requester)
        try await remove(
            user, from: thread, by: author ?? user.id, as: requester.actor, isRemoval: author != user.id
        ) { roles in
            guard let info = roles.thread else { throw MessagingError.noThread }
            if info.kind == .direct { throw RightsViolation.directThread }
            guard roles.subject != nil else { throw Self.noMember }
        }
    }

    /// Removes a member, who gets the event before access ends. An unavailable log does not delay the removal.
    private func remove(
        _ user: User, from thread: ThreadID, by requester: UserID, as actor: AuditActor,
        isRemoval: Bool = true,
        authorize: @escaping Authorization
    ) async throws(MessagingError) {
        let change = try await commit {
            try await ports.state.removeMember(
                user, from: thread, by: requester, as: actor, isRemoval: isRemoval, at: clock.milliseconds,
                authorize: authorize)
        }
        let left = await relayedSoon(change.outbox, of: thread).first
        notify(.removed(thread, left: left?.position), user.id)
    }

    private static var noMember: MessagingError { .notFound("the user is not a member of this thread") }
}
