package import Logging
package import ParleyAccounts
package import ParleyModel

/// The use cases that change members, threads and accounts. Each is one file beside this one, and has the same steps:
///
/// 1. it checks its input, and charges the user for it where that is limited;
/// 2. it makes the change in one transaction (`StateStore`), which asks the rights with the roles as they are then, and
///    writes down what the logs are to be told (`Outbox`);
/// 3. it relays that at once (`OutboxRelay`), and tells the nodes that hold sockets of the users concerned.
///
/// When step 2 is done the change is durable, whatever becomes of step 3: persisters relay what is left, and nodes find
/// out from the change feed. Joins and leaves are answered after step 3, since their answers carry a place in the log;
/// everything else is answered then as well, but does not fail with it.
///
/// Listeners and commands share one value.
package struct StateChanges: Sendable {
    /// Where changes are made that others are told of.
    package typealias Store = Outbox & StateStore

    /// Called before a change of members or threads by a user, which counts as a send; throws `rateLimited`.
    package typealias Charge = @Sendable (UserID) async throws(MessagingError) -> Void

    /// The longest wait for the log where the answer needs it.
    static let timeout = Duration.seconds(5)
    /// The longest wait for the log where the answer does not: by then a persister does it.
    static let shortTimeout = Duration.seconds(1)

    let store: any Store
    let accounts: any AccountStore
    let directory: BatchedDirectory
    let relay: OutboxRelay?
    let bus: (any ThreadBus)?
    let hash: @Sendable (String) async throws(AccountError) -> String
    let charge: Charge
    let clock: WallClock
    let logger: Logger

    /// - Parameters:
    ///   - relay: `nil` for a command that has no log; then persisters relay.
    ///   - bus: where nodes are told; `nil` for a command, whose changes they find within seconds.
    ///   - hash: hashes a new password, which it checks.
    package init(
        store: any Store, accounts: any AccountStore, directory: BatchedDirectory, relay: OutboxRelay?,
        bus: (any ThreadBus)?,
        hash: @escaping @Sendable (String) async throws(AccountError) -> String,
        charge: @escaping Charge = { _ throws(MessagingError) in }, clock: WallClock = .system, logger: Logger
    ) {
        self.store = store
        self.accounts = accounts
        self.directory = directory
        self.relay = relay
        self.bus = bus
        self.hash = hash
        self.charge = charge
        self.clock = clock
        self.logger = logger
    }

    // MARK: Steps

    /// Runs a transaction or a look-up. What a database says of a failure is for the log, not for the client.
    func commit<Value>(_ body: () async throws -> Value) async throws(MessagingError) -> Value {
        do {
            return try await body()
        } catch let error as MessagingError {
            throw error
        } catch let error as RightsViolation {
            throw MessagingError(error)
        } catch let error as AccountError {
            throw MessagingError(error)
        } catch let error as StoreError {
            switch error {
            case .taken: break
            case .unavailable(let reason):
                logger.warning("the database did not take a change", metadata: ["reason": "\(reason)"])
            case .failed(let reason):
                logger.error("the database refused a change", metadata: ["reason": "\(reason)"])
            }
            throw MessagingError(error)
        } catch is CancellationError {
            throw .unavailable("the server is stopping")
        } catch {
            logger.error("a change failed", metadata: ["error": "\(error)"])
            throw .unavailable("the change could not be made at the moment")
        }
    }

    /// Relays entries and what lies before them in the outbox of their thread.
    /// - Returns: where the log has them, in their order.
    /// - Throws: `unavailable` if the log has not taken them within `patience`. They will be relayed all the same.
    func relayed(_ entries: [OutboxEntry], of thread: ThreadID) async throws(MessagingError) -> [Receipt] {
        guard !entries.isEmpty, let relay else { return [] }
        let receipts = try await relay.relay(entries, of: thread, within: Self.timeout)
        return entries.compactMap { receipts[$0.id] }
    }

    /// As `relayed`, for an answer that does not wait for it.
    ///
    /// It is done before the answer and not in the background: so whoever is answered finds the event in the log, the load
    /// is the callers' own, and nothing runs that nobody has bounded.
    /// - Returns: none if the log has not taken them within `briefPatience`.
    func relayedSoon(_ entries: [OutboxEntry], of thread: ThreadID) async -> [Receipt] {
        guard !entries.isEmpty, let relay else { return [] }
        do {
            let receipts = try await relay.relay(entries, of: thread, within: Self.shortTimeout)
            return entries.compactMap { receipts[$0.id] }
        } catch {
            logger.debug("a persister will relay what has changed", metadata: ["thread": "\(thread)"])
            return []
        }
    }

    /// Relays the event of a join or a leave.
    /// - Parameters:
    ///   - entries: of the change. None if it changed nothing: then the newest pending event that `isMeant` is that of a
    ///     change whose first answer was lost.
    /// - Returns: where it stands; `nil` if nothing was changed, and who asked was told so before.
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
            try await store.outboxEntries(of: thread, before: .max, limit: OutboxRelay.pageLength)
        }
        let found = entries.last { if case .append(let body) = $0.content { isMeant(body) } else { false } }
        return found.map { [$0] } ?? []
    }

    /// What was known of the user is void, here and where they have sockets.
    func tell(_ event: ControlEvent, _ user: UserID) {
        directory.invalidate(event, of: user)
        bus?.publish(event, to: user)
    }

    /// These sessions of a user are void: every node with sockets of the user is told.
    func tellEnded(_ sessions: [TokenHash], of user: UserID) {
        for session in sessions { tell(.sessionRevoked(session), user) }
    }

    // MARK: Who is meant

    /// The user of an id, or else of a name; `nil` if there is none.
    package func user(_ text: String) async throws(MessagingError) -> User? {
        try await commit {
            if let id = UserID(text), let user = try await directory.user(id, fresh: true) { return user }
            return try await directory.user(named: text)
        }
    }

    static var noUser: MessagingError { .notFound("no such user") }
    static var noThread: MessagingError { .notFound("no such thread") }
}
