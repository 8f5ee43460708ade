import ParleyAccounts
package import ParleyModel

/// A suspension that an operator asks for.
package struct SuspensionRequest: Hashable, Sendable {
    /// The duration in seconds; `nil` if the suspension lasts until it is ended.
    package let seconds: Int64?
    package let reason: String?

    /// - Throws: `invalid` and `tooLarge`, by the rules of `SanctionRequest`.
    package init(seconds: Int64?, reason: String?) throws(MessagingError) {
        try SanctionRequest.check(seconds: seconds, reason: reason)
        self.seconds = seconds
        self.reason = reason
    }
}

/// Suspensions of users from the whole site.
extension Messaging {
    /// Suspends a user, in place of an earlier suspension. All nodes refuse the user's credentials at once, and close the user's
    /// sockets within a second. Memberships and sessions stay.
    /// - Throws: `notFound` if the user is unknown or erased; `forbidden` for the operator's own account; `unavailable`.
    package func suspend(
        _ user: User, _ request: SuspensionRequest, by requester: Operator
    ) async throws(MessagingError) -> SuspensionRecord {
        // The operator could not undo it.
        guard requester.author != user.id else { throw .forbidden("operators cannot suspend themselves") }
        let now = clock.milliseconds
        let suspension = Suspension(until: request.seconds.map { now + $0 * 1000 }, reason: request.reason)
        let change = try await commit {
            try await ports.state.suspend(user.id, suspension, by: requester.actor, at: now)
        }
        guard change.value != nil else { throw MessagingError.noUser }
        notify(.changed, user.id)
        return SuspensionRecord(user: user, suspension: suspension, author: requester.author, since: now)
    }

    /// Ends a suspension before its time.
    /// - Throws: `notFound` if no suspension of the user is in force; `unavailable`.
    package func endSuspension(of user: User, by requester: Operator) async throws(MessagingError) {
        let change = try await commit { try await ports.state.endSuspension(of: user.id, by: requester.actor) }
        guard let ended = change.value, ended.isInForce(at: clock.milliseconds) else {
            throw .notFound("this user is not suspended")
        }
        notify(.changed, user.id)
    }

    /// Returns the suspensions in force, in the byte order of the users' ids.
    /// - Throws: `unavailable`.
    package func suspensions(
        after user: UserID?, limit: Int, by _: Operator
    ) async throws(MessagingError) -> ListPage<SuspensionRecord> {
        let now = clock.milliseconds
        return try await read {
            ListPage(try await ports.accounts.suspensions(at: now, after: user, limit: limit + 1), limit: limit)
        }
    }
}
