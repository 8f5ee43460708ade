import ParleyAccounts
package import ParleyModel

/// A mute or a ban that a moderator or an operator asks for.
package struct SanctionRequest: Hashable, Sendable {
    package let kind: Sanction.Kind
    /// The duration in seconds; `nil` if the sanction lasts until it is ended.
    package let seconds: Int64?
    package let reason: String?

    /// - Throws: `invalid` for a time that is not in 1...`Sanction.longestSeconds`, and for a reason with a control character or
    ///   against the rules of `DisplayText`; `tooLarge` for one above `Sanction.reasonScalars`.
    package init(_ kind: Sanction.Kind, seconds: Int64?, reason: String?) throws(MessagingError) {
        try Self.check(seconds: seconds, reason: reason)
        self.kind = kind
        self.seconds = seconds
        self.reason = reason
    }

    /// Checks the fields that all sanctions have.
    static func check(seconds: Int64?, reason: String?) throws(MessagingError) {
        if let seconds, !(1...Sanction.longestSeconds).contains(seconds) {
            throw .invalid("seconds must be in the range 1...\(Sanction.longestSeconds), or missing for no end")
        }
        if let reason {
            guard reason.unicodeScalars.count <= Sanction.reasonScalars else {
                throw .tooLarge("reason has more than \(Sanction.reasonScalars) characters")
            }
            if reason.unicodeScalars.contains(where: Self.isControl) {
                throw .invalid("reason contains a control character or a line break, which is not allowed")
            }
            if let violation = DisplayText.violation(in: reason) { throw .invalid("reason \(violation.explanation)") }
        }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }

    fileprivate func sanction(at now: Int64) -> Sanction {
        Sanction(kind, until: seconds.map { now + $0 * 1000 }, reason: reason)
    }
}

/// Mutes and bans, which belong to a room and a user whether or not the user is a member.
extension Messaging {
    /// Mutes or bans a user in a room, in place of an earlier sanction of the kind. A ban ends the membership.
    ///
    /// The owner decides about all other users, and a moderator about users who are neither owner nor moderator. All nodes
    /// apply the sanction within a second.
    /// - Throws: `notFound` for an unknown thread or user, `notAMember`, `forbidden`, `rateLimited` and `unavailable`.
    package func sanction(
        _ reference: UserReference, in thread: ThreadID, _ request: SanctionRequest, by caller: Caller
    ) async throws(MessagingError) -> SanctionRecord {
        let user = try await member(reference, of: thread, for: caller)
        try await budgets.charge(caller.user.id)
        return try await sanction(
            user, in: thread, request, author: caller.user.id, by: caller.user.id, as: .user(caller.user.id)
        ) { roles in
            try Self.check(roles, sanctioning: user.id, by: caller.user.id)
        }
    }

    /// Mutes or bans a user at an operator's request, whatever the user's role.
    package func sanction(
        _ user: User, in thread: ThreadID, _ request: SanctionRequest, by requester: Operator
    ) async throws(MessagingError) -> SanctionRecord {
        try await charge(requester)
        let author = requester.author
        return try await sanction(
            user, in: thread, request, author: author, by: author ?? user.id, as: requester.actor
        ) {
            try Self.checkRoom($0)
        }
    }

    private func sanction(
        _ user: User, in thread: ThreadID, _ request: SanctionRequest, author: UserID?, by requester: UserID,
        as actor: AuditActor, authorize: @escaping Authorization
    ) async throws(MessagingError) -> SanctionRecord {
        let now = clock.milliseconds
        let sanction = request.sanction(at: now)
        let change = try await commit {
            try await ports.state.sanction(
                user, in: thread, sanction, author: author, by: requester, as: actor, at: now, authorize: authorize)
        }
        guard let member = change.value else { throw .noUser }
        if member.before != nil, member.after == nil {
            let left = await relayedSoon(change.outbox, of: thread).first
            notify(.removed(thread, left: left?.position), user.id)
        } else if sanction.kind == .mute {
            announceMute(of: user.id)
        }
        return SanctionRecord(user: user, sanction: sanction, author: author, since: now)
    }

    /// Ends a mute or a ban before its time. The same users may do this as may call `sanction`.
    /// - Throws: `notFound` for an unknown thread or user, and if no such sanction is in force; `notAMember`, `forbidden`,
    ///   `rateLimited` and `unavailable`.
    package func endSanction(
        _ kind: Sanction.Kind, of reference: UserReference, in thread: ThreadID, by caller: Caller
    ) async throws(MessagingError) {
        let user = try await member(reference, of: thread, for: caller)
        try await budgets.charge(caller.user.id)
        try await endSanction(kind, of: user, in: thread, by: caller.user.id, as: .user(caller.user.id)) { roles in
            try Self.check(roles, sanctioning: user.id, by: caller.user.id)
        }
    }

    /// Ends a mute or a ban at an operator's request.
    package func endSanction(
        _ kind: Sanction.Kind, of user: User, in thread: ThreadID, by requester: Operator
    ) async throws(MessagingError) {
        try await charge(requester)
        try await endSanction(kind, of: user, in: thread, by: requester.author ?? user.id, as: requester.actor) {
            try Self.checkRoom($0)
        }
    }

    private func endSanction(
        _ kind: Sanction.Kind, of user: User, in thread: ThreadID, by requester: UserID,
        as actor: AuditActor, authorize: @escaping Authorization
    ) async throws(MessagingError) {
        let change = try await commit {
            try await ports.state.endSanction(
                kind, of: user, in: thread, by: requester, as: actor, authorize: authorize)
        }
        guard let ended = change.value, ended.isInForce(at: clock.milliseconds) else {
            throw .notFound("no \(kind.rawValue) of this user is in force in this thread")
        }
        if kind == .mute { announceMute(of: user.id) }
    }

    /// Has the nodes with sockets of the user read the memberships again. Nothing that a node caches depends on a mute.
    private func announceMute(of user: UserID) { ports.bus.publish(.changed, to: user) }

    /// Returns the sanctions in force in a thread, in the byte order of the users' ids, for its owner and moderators.
    /// - Throws: `notFound`, `notAMember`, `forbidden` and `unavailable`.
    package func sanctions(
        in thread: ThreadID, after place: SanctionPlace?, limit: Int, by caller: Caller
    ) async throws(MessagingError) -> ListPage<SanctionRecord> {
        let membership = try await membership(of: caller, in: thread)
        if let violation = ThreadRights.violation(sanctioning: nil, as: membership) { throw MessagingError(violation) }
        return try await sanctions(in: thread, after: place, limit: limit)
    }

    /// Returns the sanctions in force in a thread, for an operator.
    package func sanctions(
        in thread: ThreadID, after place: SanctionPlace?, limit: Int, by requester: Operator
    ) async throws(MessagingError) -> ListPage<SanctionRecord> {
        _ = try await knownThread(thread)
        return try await sanctions(in: thread, after: place, limit: limit)
    }

    private func sanctions(
        in thread: ThreadID, after place: SanctionPlace?, limit: Int
    ) async throws(MessagingError) -> ListPage<SanctionRecord> {
        let now = clock.milliseconds
        return try await read {
            ListPage(
                try await ports.accounts.sanctions(in: thread, at: now, after: place, limit: limit + 1), limit: limit)
        }
    }

    // MARK: Rights

    private static func check(
        _ roles: MemberRoles, sanctioning user: UserID, by caller: UserID
    ) throws {
        let info = try roles.thread(for: caller)
        guard let own = roles.requester else { throw MessagingError.notAMember }
        let violation = ThreadRights.violation(
            sanctioning: roles.subject, as: Membership(thread: info, role: own))
        if let violation { throw violation }
        if user == caller { throw RightsViolation.themselves }
    }

    private static func checkRoom(_ roles: MemberRoles) throws {
        guard let info = roles.thread else { throw MessagingError.noThread }
        if info.kind == .direct { throw RightsViolation.directThread }
    }
}
