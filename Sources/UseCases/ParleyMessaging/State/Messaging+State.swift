import Logging
import ParleyAccounts
import ParleyModel

/// The steps of state changes: of members, threads and accounts. Each change is a file in a folder beside this one:
///
/// 1. it validates its input, and charges the user where the change is limited;
/// 2. it makes the change in one transaction (`StateStore`), which checks the rights with the roles at that instant and
///    writes the events for the logs (`Outbox`);
/// 3. it relays them at once (`OutboxRelay`), and notifies the nodes that hold sockets of the users concerned.
///
/// After step 2 the change is durable, whatever happens to step 3: persisters relay what is left, and nodes are
/// notified of the change from the change feed. Joins and leaves reply after step 3, since their replies carry a log
/// position; other changes reply then as well, but do not fail if step 3 does.
extension Messaging {
    /// Maximum wait for the log if the reply needs its position.
    private static let timeout = Duration.seconds(5)
    /// Maximum wait for the log if the reply does not need it; after that a persister relays the entries.
    private static let shortTimeout = Duration.seconds(1)

    /// Charges the author of an operator's member changes.
    func charge(_ requester: Operator) async throws(MessagingError) {
        if let author = requester.author { try await budgets.charge(author) }
    }

    /// Runs a transaction or a lookup. Texts of database errors go to the log, not to the client.
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

    /// Relays entries and those before them in the outbox of their thread.
    /// - Returns: their receipts, in order.
    /// - Throws: `unavailable` if the log does not accept them in time. They will be relayed nevertheless.
    private func relayed(
        _ entries: [OutboxEntry], of thread: ThreadID, within limit: Duration = timeout
    ) async throws(MessagingError) -> [Receipt] {
        guard !entries.isEmpty, let relay else { return [] }
        let receipts = try await relay.relay(entries, of: thread, within: limit)
        return entries.compactMap { receipts[$0.id] }
    }

    /// As `relayed`, for a reply that does not depend on the result.
    ///
    /// Done before the reply and not in the background: the client finds the event in the log after its reply, callers
    /// bear their own load, and no unbounded work is started.
    /// - Returns: nothing if the log does not accept them within `shortTimeout`.
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
    ///   - entries: the outbox entries of the change. If empty, nothing was changed: the newest pending event for which
    ///     `isMeant` is true then belongs to a change whose first reply was lost.
    /// - Returns: its receipt; `nil` if nothing was changed and an earlier reply reported that.
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

    /// Invalidates what is cached of the user, here and on nodes with their sockets.
    func notify(_ event: ControlEvent, _ user: UserID) {
        ports.directory.invalidate(event, of: user)
        ports.bus.publish(event, to: user)
    }

    /// Notifies every node with sockets of the user that these sessions have ended.
    func notifySessionsEnded(_ sessions: [TokenHash], of user: UserID) {
        for session in sessions { notify(.sessionRevoked(session), user) }
    }
}
