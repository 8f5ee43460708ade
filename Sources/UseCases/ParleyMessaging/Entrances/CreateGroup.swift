import ParleyAccounts
package import ParleyModel

extension Messaging {
    /// The maximum number of members that are named when a group is created.
    package static let groupMembers = 50

    /// Creates a group with the caller as its owner.
    /// - Parameters:
    ///   - title: The title; `nil` for a group that is named by its members.
    ///   - references: The other members, at most `groupMembers`. The caller, and a user who is named again, are ignored.
    /// - Returns: The group's id.
    /// - Throws: `invalid` for an invalid title, and for no or too many references; `notFound` with the first reference that is
    ///   no user's; `forbidden` for a user who may not create rooms, and if the caller and a member block each other; `rateLimited`, `unavailable`.
    package func createGroup(
        titled title: String?, with references: [(text: String, user: UserReference)], by caller: Caller
    ) async throws(MessagingError) -> ThreadID {
        let title = try title.map { text throws(MessagingError) in try chosenTitle(text).text }
        guard (1...Self.groupMembers).contains(references.count) else {
            throw .invalid("members must have 1 to \(Self.groupMembers) users")
        }
        try await budgets.charge(caller.user.id)
        guard try await mayMakeRooms(caller) else { throw .forbidden("you may not create rooms") }
        var members: [User] = []
        for reference in references {
            guard let user = try await commit({ try await self.user(reference.user) }) else {
                throw .notFound("no such user: \(reference.text)")
            }
            if user.id != caller.user.id, !members.contains(where: { $0.id == user.id }) { members.append(user) }
        }
        let group = NewGroup(id: ThreadID(UUIDv7(clock)), title: title, maker: caller.user, members: members)
        let change = try await commit { try await ports.state.createGroup(group, at: clock.milliseconds) }
        if let missing = group.all.first(where: { change.value.missing.contains($0.id) }) {
            throw .notFound("no such user: \(missing.name)")
        }
        guard change.value.blocked.isEmpty else { throw MessagingError(RightsViolation.blockedUser) }
        ports.directory.forget(thread: change.value.thread)
        let first = await relayedSoon(change.outbox, of: group.id).first
        for user in group.all {
            let role: Membership.Role = user.id == caller.user.id ? .owner : .member
            let membership = Membership(thread: change.value.thread, role: role)
            notify(first.map { .added(membership, after: $0.position.seq - 1) } ?? .changed, user.id)
        }
        return group.id
    }

    /// Makes another member the owner of a room or group, and the caller, who is its owner, a moderator.
    /// - Throws: `notFound` for an unknown thread or user, and for a user who is not a member; `notAMember`, `forbidden`; `conflict`
    ///   for the caller themselves; `rateLimited`, `unavailable`.
    package func handOver(
        _ thread: ThreadID, to reference: UserReference, by caller: Caller
    ) async throws(MessagingError) -> User {
        let user = try await member(reference, of: thread, for: caller)
        try await budgets.charge(caller.user.id)
        let change = try await changeEntrance(.handOver, of: user, in: thread, by: caller.user.id) { facts in
            try Self.checkChanger(facts.roles, caller.user.id)
            guard facts.roles.subject != nil else {
                throw MessagingError.notFound("the user is not a member of this thread")
            }
            if user.id == caller.user.id { throw MessagingError.conflict("you are the owner of this thread") }
        }
        _ = await relayedSoon(change.outbox, of: thread)
        for id in [user.id, caller.user.id] { notify(.changed, id) }
        return user
    }
}
