import ParleyAccounts
package import ParleyModel

/// Requests to be let into a thread, which users make by its id, and moderators answer.
extension Messaging {
    /// Asks the moderators of a thread to let the caller in.
    ///
    /// The same statements run, with the same answer, whether the thread is hidden from the caller or does not exist.
    /// - Returns: The request, and whether it is new. An earlier one that lasts is returned unchanged.
    /// - Throws: `conflict` for a member, for a public room, and beyond the limit of the user; `forbidden` for a user who is banned
    ///   from an unlisted room; `rateLimited`, `unavailable`.
    package func request(
        _ thread: ThreadID, _ terms: EntranceTerms, by caller: Caller
    ) async throws(MessagingError) -> (request: JoinRequest, isNew: Bool) {
        let user = caller.user
        try await budgets.charge(user.id)
        let now = clock.milliseconds
        let request = JoinRequest(text: terms.text, since: now)
        let change = try await changeEntrance(.request(request), of: user, in: thread, by: user.id) { facts in
            guard facts.isSubjectPresent else { throw MessagingError.noUser }
            if facts.roles.subject != nil { throw MessagingError.conflict("you are a member of this thread") }
            if let info = facts.roles.thread, info.kind == .room, info.visibility != .private {
                if let ban = facts.roles.sanctions.ban, ban.isInForce(at: now) { throw MessagingError(ban) }
                if info.visibility == .public { throw MessagingError.conflict("any user may join this room") }
            }
            if facts.seenRequest(at: now) != nil { return }
            guard facts.counts.requestsOfUser < JoinRequest.limitOfUser else {
                throw MessagingError.conflict("you have \(JoinRequest.limitOfUser) requests, the maximum")
            }
        }
        announceEntrances()
        let earlier = change.value.before.seenRequest(at: now)
        return (earlier ?? request, earlier == nil)
    }

    /// Returns the requests of the caller in the byte order of the threads' ids.
    package func requests(of caller: Caller) async throws(MessagingError) -> [RequestRecord] {
        let now = clock.milliseconds
        return try await read { try await ports.state.requests(of: caller.user.id, at: now) }
    }

    /// Withdraws a request of the caller.
    /// - Throws: `notFound` if there is none.
    package func withdrawRequest(for thread: ThreadID, by caller: Caller) async throws(MessagingError) {
        let user = caller.user
        try await budgets.charge(user.id)
        let now = clock.milliseconds
        _ = try await changeEntrance(.withdrawRequest, of: user, in: thread, by: user.id) { facts in
            guard facts.seenRequest(at: now) != nil else {
                throw MessagingError.notFound("you have no request for this thread")
            }
        }
        announceEntrances()
    }

    // MARK: Moderators

    /// Returns the open requests in a thread, in the byte order of the users' ids, for its moderators.
    package func requests(
        in thread: ThreadID, after user: UserID?, limit: Int, by caller: Caller
    ) async throws(MessagingError) -> ListPage<RequestRecord> {
        try await checkModerator(of: thread, caller)
        let now = clock.milliseconds
        return try await read {
            ListPage(try await ports.state.requests(in: thread, at: now, after: user, limit: limit + 1), limit: limit)
        }
    }

    /// Lets a user in who has asked for it, at the request of a moderator.
    /// - Throws: `notFound` also without an open request; `forbidden` also for a banned user.
    package func acceptRequest(
        of reference: UserReference, in thread: ThreadID, by caller: Caller
    ) async throws(MessagingError) -> MemberOutcome {
        let user = try await member(reference, of: thread, for: caller)
        try await budgets.charge(caller.user.id)
        let now = clock.milliseconds
        let change = try await changeEntrance(.acceptRequest, of: user, in: thread, by: caller.user.id) { facts in
            try Self.checkRequest(facts, caller.user.id, at: now)
            if facts.roles.sanctions.ban?.isInForce(at: now) == true { throw RightsViolation.banned }
        }
        announceEntrances()
        return try await entered(user, change, waits: false)
    }

    /// Refuses a request, at the request of a moderator. The user is not told.
    /// - Throws: `notFound` also without an open request.
    package func refuseRequest(
        of reference: UserReference, in thread: ThreadID, by caller: Caller
    ) async throws(MessagingError) {
        let user = try await member(reference, of: thread, for: caller)
        try await budgets.charge(caller.user.id)
        let now = clock.milliseconds
        _ = try await changeEntrance(.refuseRequest, of: user, in: thread, by: caller.user.id) { facts in
            try Self.checkRequest(facts, caller.user.id, at: now)
        }
        announceEntrances()
    }

    private static func checkRequest(_ facts: EntranceFacts, _ caller: UserID, at now: Int64) throws {
        try checkModerator(facts.roles, caller)
        guard let request = facts.request, request.state == .open, request.isCurrent(at: now) else {
            throw MessagingError.notFound("the user has no open request for this thread")
        }
    }
}

extension EntranceFacts {
    /// Returns the request that the user sees.
    fileprivate func seenRequest(at now: Int64) -> JoinRequest? {
        guard let request, request.state != .withdrawn, request.isCurrent(at: now) else { return nil }
        return request
    }
}
