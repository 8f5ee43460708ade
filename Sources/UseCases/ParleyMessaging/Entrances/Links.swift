import ParleyAccounts
package import ParleyModel

/// Links, which moderators make, and with whose code users join.
extension Messaging {
    /// Makes a link, at the request of a moderator.
    /// - Returns: The link, and its code, which is not stored.
    /// - Throws: `notFound`, `notAMember`, `forbidden`; `conflict` beyond the limit of the thread; `rateLimited`, `unavailable`.
    package func makeLink(
        to thread: ThreadID, _ terms: EntranceTerms, by caller: Caller
    ) async throws(MessagingError) -> (link: RoomLink, code: String) {
        let user = caller.user
        try await budgets.charge(user.id)
        let (now, secret) = (clock.milliseconds, SessionTokens.make())
        let link = RoomLink(
            id: ThreadID(UUIDv7(clock)).text, thread: thread, hash: secret.hash, by: user.id, since: now,
            until: terms.until(from: now), uses: terms.uses)
        _ = try await changeEntrance(.makeLink(link), of: user, in: thread, by: user.id) { facts in
            try Self.checkModerator(facts.roles, user.id)
            guard facts.counts.linksOfThread < RoomLink.limitOfThread else {
                throw MessagingError.conflict("the thread has \(RoomLink.limitOfThread) links, the maximum")
            }
        }
        return (link, secret.token)
    }

    /// Returns the links of a thread, newest first, for its moderators.
    package func links(in thread: ThreadID, by caller: Caller) async throws(MessagingError) -> [RoomLink] {
        try await checkModerator(of: thread, caller)
        return try await read { try await ports.state.links(in: thread) }
    }

    /// Revokes a link, at the request of a moderator.
    /// - Throws: `notFound` also for an unknown link.
    package func revokeLink(_ id: String, of thread: ThreadID, by caller: Caller) async throws(MessagingError) {
        let user = caller.user
        try await budgets.charge(user.id)
        _ = try await changeEntrance(.revokeLink(id), of: user, in: thread, by: user.id) { facts in
            try Self.checkModerator(facts.roles, user.id)
            guard facts.link != nil else { throw MessagingError.notFound("the thread has no such link") }
        }
    }

    /// Links that are unknown, expired, used up or revoked are answered alike.
    private static let noLink = MessagingError.notFound("no such link, or it has expired or is used up")

    /// Returns what a user needs in order to decide whether to join by a link.
    /// - Returns: Also whether the caller is a member of the thread already.
    /// - Throws: `notFound`, `unavailable`.
    package func link(
        _ code: String, for caller: Caller
    ) async throws(MessagingError) -> (view: LinkView, isMember: Bool) {
        let (view, now) = (try await knownLink(code), clock.milliseconds)
        let access: ThreadAccess = try await read { try await self.access(of: caller.user.id, to: view.link.thread) }
        let isMember = if case .member = access { true } else { false }
        guard isMember ? view.link.isUnexpired(at: now) : view.link.isUsable(at: now) else { throw Self.noLink }
        return (view, isMember)
    }

    /// Makes the caller a member of the thread of a link, and takes one use of it, in one transaction. The log has the event when
    /// this returns. A member takes no use.
    /// - Returns: The thread, and whether the caller is a new member.
    /// - Throws: `notFound` for a link that cannot be used; `forbidden` for a banned or removed user; `rateLimited`, `unavailable`.
    package func join(
        byLink code: String, _ caller: Caller
    ) async throws(MessagingError) -> (thread: ThreadID, isNew: Bool) {
        let user = caller.user
        try await budgets.charge(user.id)
        let link = try await knownLink(code).link
        let change = try await changeEntrance(
            .useLink(link.hash), of: user, in: link.thread, by: user.id
        ) { [clock] facts in
            let now = clock.milliseconds
            guard facts.roles.thread != nil, let link = facts.link, link.isUnexpired(at: now) else {
                throw Self.noLink
            }
            if facts.roles.subject != nil { return }
            guard link.isUsable(at: now) else { throw Self.noLink }
            try facts.roles.checkJoining(as: nil, at: now)
        }
        let outcome = try await entered(user, change, waits: true)
        if outcome.isNew { announceEntrances() }
        return (link.thread, outcome.isNew)
    }

    private func knownLink(_ code: String) async throws(MessagingError) -> LinkView {
        guard SessionTokens.isToken(code),
            let view = try await read({ try await ports.state.link(SessionTokens.hash(of: code)) })
        else { throw Self.noLink }
        return view
    }
}
