package import ParleyModel

/// The remaining steps of erasing a user, in this order; each is a transaction of bounded size. Once the memberships are
/// gone, no new row with a text or name of the user is stored.
package enum ErasureStep: Hashable, Sendable {
    case memberships
    case names
    case rejects
    /// Messages with a `client_id`, after the one with this `client_id`.
    case named(after: String?)
    /// Messages without a `client_id`, after this one.
    case others(after: SentMessage?)
    case reactions
    /// The `client_id`s of messages; these ones the log has forgotten.
    case clientIDs([String])

    /// The maximum number of rows that a step erases.
    package static let limit = 500

    /// - Parameter notified: the threads whose logs earlier steps have had redacted.
    /// - Returns: the next step as the value; `nil` if this was the last.
    package func decide(
        for user: UserID, notified: Set<ThreadID>, _ facts: some StateFacts
    ) throws -> StateDecision<ErasureStep?> {
        switch self {
        case .memberships:
            let memberships = try facts.memberships(of: user)
            // The next step ends memberships that begin in the meantime.
            var decision = StateDecision<ErasureStep?>(memberships.isEmpty ? .names : .memberships)
            decision.end(memberships, of: user)
            return decision
        case .names:
            let renamed = try facts.renameEvents(of: user, to: User.erased(user).name, limit: Self.limit)
            return try Self.redact(
                user, in: renamed, notified, then: renamed.count == Self.limit ? .names : .rejects, facts)
        case .rejects:
            var decision = StateDecision<ErasureStep?>(.named(after: nil))
            decision.changes = [.eraseRejects(of: user)]
            return decision
        case .named(let last):
            let sent = try facts.sentMessages(of: user, withClientIDAfter: last, limit: Self.limit)
            let isMore = sent.count == Self.limit
            return try Self.erase(
                sent, of: user, notified, then: isMore ? .named(after: sent.last?.clientID) : .others(after: nil), facts
            )
        case .others(let last):
            let sent = try facts.sentMessages(of: user, withoutClientIDAfter: last, limit: Self.limit)
            let isMore = sent.count == Self.limit
            return try Self.erase(
                sent, of: user, notified, then: isMore ? .others(after: sent.last) : .reactions, facts)
        case .reactions:
            let threads = try facts.eraseReactions(of: user, limit: Self.limit)
            return try Self.redact(
                user, in: threads, notified, then: threads.count == Self.limit ? .reactions : .clientIDs([]), facts)
        case .clientIDs(let forgotten):
            if !forgotten.isEmpty { try facts.forgetClientIDs(forgotten, of: user) }
            let left = try facts.clientIDs(of: user, limit: Self.limit)
            return StateDecision(left.isEmpty ? nil : .clientIDs(left))
        }
    }

    private static func erase(
        _ sent: [SentMessage], of user: UserID, _ notified: Set<ThreadID>, then next: ErasureStep,
        _ facts: some StateFacts
    ) throws -> StateDecision<ErasureStep?> {
        let left = sent.filter { !$0.isErased }
        var decision = try redact(user, in: left.map(\.thread), notified, then: next, facts)
        if !left.isEmpty { decision.changes = [.eraseMessages(left, of: user)] }
        return decision
    }

    /// Requests the redaction of threads' logs, except where it was requested before or the same entry is pending.
    private static func redact(
        _ user: UserID, in threads: [ThreadID], _ notified: Set<ThreadID>, then next: ErasureStep,
        _ facts: some StateFacts
    ) throws -> StateDecision<ErasureStep?> {
        var decision = StateDecision<ErasureStep?>(next)
        let new = Set(threads).subtracting(notified).sorted { $0.text < $1.text }
        guard !new.isEmpty else { return decision }
        let content = OutboxEntry.Content.redactUser(user)
        let pending = try facts.threads(among: new, withEntry: content)
        decision.outbox = new.filter { !pending.contains($0) }.map { OutboxEntry.Draft(thread: $0, content: content) }
        return decision
    }
}
