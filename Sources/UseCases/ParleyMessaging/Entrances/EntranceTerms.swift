import ParleyAccounts
import ParleyModel

/// The text of an invitation or a request, and the duration of an invitation.
package struct EntranceTerms: Hashable, Sendable {
    package let text: String?
    /// The duration in seconds; `nil` for no end.
    package let seconds: Int64?

    /// - Throws: `invalid` for a duration outside of `EntranceText.seconds`, and for a text with a control character or against the rules of `DisplayText`; `tooLarge` for
    ///   a text above `EntranceText.scalars`.
    package init(text: String? = nil, seconds: Int64? = nil) throws(MessagingError) {
        let range = EntranceText.seconds
        if let seconds, !range.contains(seconds) {
            throw .invalid(
                "seconds must be in the range \(range.lowerBound)...\(range.upperBound), or missing for no end")
        }
        if let text {
            guard text.unicodeScalars.count <= EntranceText.scalars else {
                throw .tooLarge("text has more than \(EntranceText.scalars) characters")
            }
            let controls: [Unicode.GeneralCategory] = [.control, .lineSeparator, .paragraphSeparator]
            if text.unicodeScalars.contains(where: { controls.contains($0.properties.generalCategory) }) {
                throw .invalid("text contains a control character or a line break, which is not allowed")
            }
            if let violation = DisplayText.violation(in: text) { throw .invalid("text \(violation.explanation)") }
        }
        self.text = text
        self.seconds = seconds
    }

    /// The end in Unix milliseconds.
    func until(from now: Int64) -> Int64? { seconds.map { now + $0 * 1000 } }
}

extension Messaging {
    /// Runs a change of the ways into a thread.
    func changeEntrance(
        _ entrance: EntranceChange, of user: User, in thread: ThreadID, by requester: UserID,
        authorize: @escaping @Sendable (EntranceFacts) throws -> Void
    ) async throws(MessagingError) -> StateChange<EntranceOutcome> {
        try await commit {
            try await ports.state.changeEntrance(
                entrance, of: user, in: thread, by: requester, at: clock.milliseconds, authorize: authorize)
        }
    }

    /// Has every node read the change feed soon, which names the users and threads with other invitations or requests.
    func announceEntrances() { ports.bus.publish(.changed, to: .everyone) }

    /// Relays the events of a user who has entered, and notifies the nodes.
    /// - Parameter waits: Whether the reply needs the event in the log, since the user has entered by themselves.
    func entered(
        _ user: User, _ change: StateChange<EntranceOutcome>, waits: Bool
    ) async throws(MessagingError) -> MemberOutcome {
        guard let member = change.value.member, let role = member.after else { throw .noUser }
        let membership = Membership(thread: member.thread, role: role, mute: member.mute, start: member.start)
        if waits {
            _ = try await relayJoin(of: user, to: membership, change.outbox)
        } else if !change.outbox.isEmpty {
            let first = await relayedSoon(change.outbox, of: member.thread.id).first
            notify(added(membership, isNew: member.before == nil, first, change.outbox), user.id)
        }
        return MemberOutcome(user: user, role: role, isNew: member.before == nil)
    }

    /// Checks that a user may decide who comes into a thread.
    /// - Throws: `notFound`, `notAMember`; `RightsViolation` for members who are not moderators, and in a direct thread.
    static func checkModerator(_ roles: MemberRoles, _ caller: UserID) throws {
        let info = try roles.thread(for: caller)
        guard let own = roles.requester else { throw MessagingError.notAMember }
        let violation = ThreadRights.violation(letting: Membership(thread: info, role: own))
        if let violation { throw violation }
    }

    /// Checks that the caller may see who may come into a thread.
    func checkModerator(of thread: ThreadID, _ caller: Caller) async throws(MessagingError) {
        let membership = try await membership(of: caller, in: thread)
        if let violation = ThreadRights.violation(letting: membership) { throw MessagingError(violation) }
    }
}
