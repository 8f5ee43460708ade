package import ParleyModel

extension StateChanges {
    /// Ends a membership at the request of a member; for themselves as `leave`. The removed user cannot join again until
    /// a moderator, the owner or an operator adds them.
    /// - Throws: `notFound` for an unknown thread or user, or one who is not a member; `notAMember`, `forbidden`,
    ///   `rateLimited` and `unavailable`.
    package func removeMember(
        _ reference: UserReference, from thread: ThreadID, by requester: User
    ) async throws(MessagingError) {
        let user = try await member(reference, of: thread, for: requester)
        guard user.id != requester.id else {
            guard try await leave(thread, user) != nil else { throw .notAMember }
            return
        }
        try await charge(requester.id)
        try await remove(user, from: thread, by: requester.id) { roles in
            guard let info = roles.thread else { throw Self.noThread }
            guard let own = roles.requester else { throw MessagingError.notAMember }
            guard let present = roles.subject else { throw Self.noMember }
            let violation = ThreadRights.violation(removing: present, as: Membership(thread: info, role: own))
            if let violation { throw violation }
        }
    }

    /// Ends a membership at an operator's request, with the same consequence unless the operator is the member.
    /// - Parameter author: as of `setMember`.
    package func removeMember(
        _ user: User, from thread: ThreadID, byOperator author: UserID?
    ) async throws(MessagingError) {
        if let author { try await charge(author) }
        try await remove(user, from: thread, by: author ?? user.id, isRemoval: author != user.id) { roles in
            guard let info = roles.thread else { throw Self.noThread }
            if info.kind == .direct { throw RightsViolation.directThread }
            guard roles.subject != nil else { throw Self.noMember }
        }
    }

    /// The removed user gets the event before access ends, but an unavailable log does not delay the removal.
    private func remove(
        _ user: User, from thread: ThreadID, by requester: UserID, isRemoval: Bool = true,
        authorize: @escaping Authorization
    ) async throws(MessagingError) {
        let change = try await commit {
            try await store.removeMember(
                user, from: thread, by: requester, isRemoval: isRemoval, at: clock.milliseconds, authorize: authorize)
        }
        let left = await relayedSoon(change.outbox, of: thread).first
        notify(.removed(thread, left: left?.position), user.id)
    }

    private static var noMember: MessagingError { .notFound("the user is not a member of this thread") }
}
