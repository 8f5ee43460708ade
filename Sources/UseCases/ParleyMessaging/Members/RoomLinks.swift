import ParleyAccounts
package import ParleyModel

/// A link that a moderator asks for.
package struct LinkRequest: Hashable, Sendable {
    /// The duration in seconds; `nil` if the link lasts until it is revoked.
    package let seconds: Int64?
    /// The number of users who may join; `nil` for any number.
    package let uses: Int64?

    /// - Throws: `invalid` for a time that is not in 1...`RoomLink.longestSeconds`, and for a number of uses that is not in
    ///   1...`RoomLink.mostUses`.
    package init(seconds: Int64?, uses: Int64?) throws(MessagingError) {
        if let seconds, !(1...RoomLink.longestSeconds).contains(seconds) {
            throw .invalid("seconds must be in the range 1...\(RoomLink.longestSeconds), or missing for no end")
        }
        if let uses, !(1...RoomLink.mostUses).contains(uses) {
            throw .invalid("uses must be in the range 1...\(RoomLink.mostUses), or missing for any number")
        }
        self.seconds = seconds
        self.uses = uses
    }

    fileprivate func link(_ id: LinkID, by author: UserID, at now: Int64) -> RoomLink {
        RoomLink(id: id, author: author, since: now, until: seconds.map { now + $0 * 1000 }, uses: uses)
    }
}

/// Links that lead into rooms: any user who has the code may join.
extension Messaging {
    /// The number of wrong codes that a user may try within a minute, over all nodes.
    package static let wrongLinksPerMinute = 30

    // MARK: Moderators

    /// Makes a link into a room, for its owner and moderators.
    /// - Returns: The link and its code, which no later call returns.
    /// - Throws: `notFound` for an unknown thread, `notAMember`, `forbidden`, `rateLimited` and `unavailable`; `conflict` if the
    ///   room has `RoomLink.mostInForce` links in force.
    package func makeLink(
        into thread: ThreadID, _ request: LinkRequest, by caller: Caller
    ) async throws(MessagingError) -> (link: RoomLink, code: String) {
        try await budgets.charge(caller.user.id)
        let (code, hash) = LinkCodes.make()
        let link = request.link(LinkID(UUIDv7(clock)), by: caller.user.id, at: clock.milliseconds)
        let change = try await commit {
            try await ports.state.addLink(link, code: hash, to: thread) { roles in
                try Self.check(roles, managingLinksBy: caller.user.id)
            }
        }
        guard change.value else {
            throw .conflict("the room has \(RoomLink.mostInForce) links in force, which is the limit; revoke one first")
        }
        return (link, code)
    }

    /// Returns the links of a room that are in force, newest first, for its owner and moderators.
    /// - Throws: `notFound`, `notAMember`, `forbidden` and `unavailable`.
    package func links(of thread: ThreadID, by caller: Caller) async throws(MessagingError) -> [RoomLink] {
        let membership = try await membership(of: caller, in: thread)
        if let violation = ThreadRights.violation(managingLinksAs: membership) { throw MessagingError(violation) }
        return try await read { try await ports.accounts.links(of: thread, at: clock.milliseconds) }
    }

    /// Returns the links of a room that are in force, newest first, for an operator.
    package func links(of thread: ThreadID, by requester: Operator) async throws(MessagingError) -> [RoomLink] {
        _ = try await knownThread(thread)
        return try await read { try await ports.accounts.links(of: thread, at: clock.milliseconds) }
    }

    /// Revokes a link, for the owner and moderators of its room. When this returns, no further user joins by it.
    /// - Throws: `notFound` for an unknown thread, and if no such link is in force; `notAMember`, `forbidden`, `rateLimited` and
    ///   `unavailable`.
    package func revokeLink(_ link: LinkID, of thread: ThreadID, by caller: Caller) async throws(MessagingError) {
        try await budgets.charge(caller.user.id)
        try await revokeLink(link, of: thread, by: caller.user.id, as: .user(caller.user.id)) { roles in
            try Self.check(roles, managingLinksBy: caller.user.id)
        }
    }

    /// Revokes a link at an operator's request.
    package func revokeLink(_ link: LinkID, of thread: ThreadID, by requester: Operator) async throws(MessagingError) {
        try await charge(requester)
        try await revokeLink(
            link, of: thread, by: requester.author ?? LogEvent.operatorID, as: requester.actor
        ) { roles in
            guard roles.thread != nil else { throw MessagingError.noThread }
        }
    }

    private func revokeLink(
        _ link: LinkID, of thread: ThreadID, by requester: UserID, as actor: AuditActor,
        authorize: @escaping Authorization
    ) async throws(MessagingError) {
        let change = try await commit {
            try await ports.state.removeLink(link, of: thread, by: requester, as: actor, authorize: authorize)
        }
        guard let removed = change.value, removed.isInForce(at: clock.milliseconds) else { throw Self.noLink }
    }

    private static func check(_ roles: MemberRoles, managingLinksBy caller: UserID) throws {
        let info = try roles.thread(for: caller)
        guard let own = roles.requester else { throw MessagingError.notAMember }
        if let violation = ThreadRights.violation(managingLinksAs: Membership(thread: info, role: own)) {
            throw violation
        }
    }

    // MARK: Users

    /// Returns the room that a link leads into, for a user who has the code.
    /// - Throws: `notFound` for a code that does not lead the user into a room; `rateLimited` and `unavailable`.
    package func room(ofLink code: String, for caller: Caller) async throws(MessagingError) -> LinkedRoom {
        let user = caller.user.id
        return try await withCode(code, by: user) { hash throws(MessagingError) in
            let room = try await read { try await ports.accounts.linkedRoom(hash, for: user) }
            guard let room else { return nil }
            let now = clock.milliseconds
            return (room.isMember ? room.link.isCurrent(at: now) : room.link.isInForce(at: now)) ? room : nil
        }
    }

    /// Makes the caller a member of the room that a link leads into, with the role and the restrictions as in `join`. That takes
    /// one use of the link, unless the caller is a member already.
    /// - Throws: `notFound` for a code that does not lead the caller into a room; `forbidden` for a removed or banned user;
    ///   `rateLimited`; `unavailable` if the log does not accept the event in time. The user is a member nevertheless, and
    ///   persisters relay the event.
    package func follow(link code: String, by caller: Caller) async throws(MessagingError) -> RoomEntrance {
        let user = caller.user
        try await budgets.charge(user.id)
        let change = try await withCode(code, by: user.id) { hash throws(MessagingError) in
            let change = try await commit {
                try await ports.state.follow(hash, by: user, at: clock.milliseconds) { [self] roles in
                    try roles.checkJoining(as: nil, at: clock.milliseconds)
                }
            }
            return change.value.map { ($0, change.outbox) }
        }
        let (joined, entries) = change
        if joined.isNewMember { ports.directory.forget(thread: joined.membership.thread) }
        let receipt = try await relayJoin(of: user, to: joined.membership, entries)
        return RoomEntrance(membership: joined.membership, isNew: joined.isNewMember, receipt: receipt)
    }

    private static let noLink = MessagingError.notFound("no such link")

    /// Runs a call with the hash of a code. A wrong code counts, and after `wrongLinksPerMinute` of them right ones are refused
    /// as well, since another answer would confirm them. While the shared store is unavailable, none is counted.
    private func withCode<Value>(
        _ code: String, by user: UserID, _ body: (TokenHash) async throws(MessagingError) -> Value?
    ) async throws(MessagingError) -> Value {
        let (rates, minute) = (budgets.settings.rates, Int64(60_000))
        let window = try? await rates?.count(0, of: .wrongLinks(user), within: minute)
        if let window, window.failures >= Self.wrongLinksPerMinute {
            throw .rateLimited(afterMilliseconds: max(1, window.remaining))
        }
        if let hash = LinkCodes.hash(ofCode: code), let value = try await body(hash) { return value }
        _ = try? await rates?.count(1, of: .wrongLinks(user), within: minute)
        throw Self.noLink
    }
}
