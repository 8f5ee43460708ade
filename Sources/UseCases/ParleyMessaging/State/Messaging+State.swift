import Logging
import ParleyAccounts
import ParleyModel

/// The steps of changes to members, threads and accounts. Each change is a file in a folder beside this one:
///
/// 1. It validates its input, and charges the user if the change is limited.
/// 2. It makes the change in one transaction (`StateStore`), which checks the rights with the roles at that instant, and writes
/// the events for the logs (`Outbox`).
/// 3. It relays the events at once (`OutboxRelay`), and notifies the nodes that hold sockets of the affected users.
///
/// After step 2 the change is durable, whatever happens in step 3: persisters relay remaining events, and the change feed
/// notifies nodes. Joins and leaves reply after step 3, since their replies contain a log position. Other changes also reply
/// then, but do not fail if step 3 does.
extension Messaging {
    /// The maximum wait for the log if the reply needs its position.
    private static let timeout = Duration.seconds(5)
    /// The maximum wait for the log if the reply does not need its position. Afterwards a persister relays the entries.
    private static let shortTimeout = Duration.seconds(1)

    /// Charges the author of an operator's member changes.
    func charge(_ requester: Operator) async throws(MessagingError) {
        if let author = requester.author { try await budgets.charge(author) }
    }

    /// Runs a transaction or a look-up. The texts of database errors go to the log, not to the client.
    func commit<Value>(_ body: () async throws -> Value) async throws(MessagingError) -> Value {
        do {
            return try await body()
        } catch {
            let error = MessagingError(error)
            if case .failed(let cause) = error {
                logger.error("change failed", metadata: ["reason": "\(cause)"])
            } else if let cause = error.cause {
                logger.warning("database is unavailable for a change", metadata: ["reason": "\(cause)"])
            }
            throw error
        }
    }

    /// Relays entries, and the entries before them in the outbox of their thread.
    /// - Returns: The receipts of the entries, in order.
    /// - Throws: `unavailable` if the log does not accept the entries in time. They will be relayed nevertheless.
    private func relayed(
        _ entries: [OutboxEntry], of thread: ThreadID, within limit: Duration = timeout
    ) async throws(MessagingError) -> [Receipt] {
        guard !entries.isEmpty, let relay else { return [] }
        let receipts = try await relay.relay(entries, of: thread, within: limit)
        return entries.compactMap { receipts[$0.id] }
    }

    /// Relays entries like `relayed`, for a reply that does not depend on the result.
    ///
    /// This is done before the reply rather than in the background: the client finds the event in the log after its reply,
    /// callers bear the load that they cause, and no unbounded work is started.
    /// - Returns: The receipts; none if the log does not accept the entries within `shortTimeout`.
    func relayedSoon(_ entries: [OutboxEntry], of thread: ThreadID) async -> [Receipt] {
        do {
            return try await relayed(entries, of: thread, within: Self.shortTimeout)
        } catch {
            logger.debug("left the relay of a change to a persister", metadata: ["thread": "\(thread)"])
            return []
        }
    }

    /// Relays the event of a join or a leave.
    /// - Parameters:
    ///   - entries: The outbox entries of the change. If empty, nothing was changed. The newest pending event for which
    ///     `isMeant` returns `true` then belongs to a change whose first reply was lost.
    /// - Returns: The receipt of the event; `nil` if nothing was changed and an earlier reply reported that.
    func ownPlace(
        _ entries: [OutboxEntry], in thread: ThreadID, _ isMeant: (ParleyModel.LogEvent.Body) -> Bool
    ) async throws(MessagingError) -> Receipt? {
        var entries = entries
        if entries.isEmpty {
            entries = try await pending(in: thread, isMeant)
            if relay?.isAnswered(entries) ?? true { return nil }
        }
        let place = try await relayed(entries, of: thread).first
        if place != nil { relay?.noteAnswered(entries) }
        return place
    }

    private func pending(
        in thread: ThreadID, _ isMeant: (ParleyModel.LogEvent.Body) -> Bool
    ) async throws(MessagingError) -> [OutboxEntry] {
        let entries = try await commit {
            try await ports.state.outboxEntries(of: thread, limit: OutboxRelay.pageLength)
        }
        let found = entries.last { if case .append(let body) = $0.content { isMeant(body) } else { false } }
        return found.map { [$0] } ?? []
    }

    /// Invalidates cached data of the user, on this node and on nodes with their sockets.
    func notify(_ event: ControlEvent, _ user: UserID) {
        ports.directory.invalidate(event, of: user)
        ports.bus.publish(event, to: user)
    }

    /// Notifies every node with sockets of the user that these sessions have ended.
    func notifySessionsEnded(_ sessions: [TokenHash], of user: UserID) {
        for session in sessions { notify(.sessionRevoked(session), user) }
    }
}
