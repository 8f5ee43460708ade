import Logging
import ParleyAccounts
import ParleyMemory
import ParleyMessaging
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Synchronization
import Testing

/// A store in its own file, a log that accepts at once, and the signals that another node receives. `persist` stores.
final class MessagingFixture: Sendable {
    let clock = TestClock()
    let store: SQLiteStore
    let memory: MemoryLog
    let bus: any ThreadBus
    /// Another node, and the signals it has received.
    let node: any ThreadBus
    private let signals = Mutex<[BusSignal]>([])
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let files: TemporaryDirectory

    static func run(_ test: (MessagingFixture) async throws -> Void) async throws {
        let fixture = try await MessagingFixture()
        let memory = fixture.memory
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await memory.run() }
            defer { group.cancelAll() }
            try await test(fixture)
        }
        try await fixture.store.close()
    }

    private init() async throws {
        files = try TemporaryDirectory()
        store = try SQLiteStore(
            path: files.path + "/parley.db", clock: clock.wall, busyTimeout: .patience, waitLimit: .patience)
        try await store.migrate()
        let broker = MemoryBroker()
        bus = broker.makeBus()
        node = broker.makeBus()
        memory = MemoryLog(
            bus: broker, history: store, clock: clock.wall,
            settings: MemoryLogSettings(acceptance: .immediately))
        bus.attach { _ in }
        node.attach { [unowned self] signal in signals.withLock { $0.append(signal) } }
    }

    /// The control events that another node, subscribed to the user's topic, has received.
    func told(_ user: User) -> [ControlEvent] {
        signals.withLock { signals in
            signals.compactMap { if case .control(let event, user.id) = $0 { event } else { nil } }
        }
    }

    /// A process, which may be killed.
    func messaging(
        _ crashPoint: CrashPoint = CrashPoint(nil), log: (any MessageLog)? = nil,
        budgets: BudgetSettings = .forTests(), directory: BatchedDirectory? = nil
    ) -> Messaging {
        let mortal = CrashingStore(store: store, crashPoint: crashPoint)
        let log = log ?? CrashingLog(log: memory, crashPoint: crashPoint)
        return Messaging(
            MessagingPorts(
                log: log, bus: bus, store: store, state: mortal, accounts: store,
                directory: directory ?? BatchedDirectory(store, clock: clock.wall), readMarks: IgnoredReadMarks(),
                notifications: store),
            budgets: Budgets(budgets), relay: relay(mortal, log: log),
            hash: { password throws(AccountError) in "hash of \(password)" }, clock: clock.wall, logger: logger)
    }

    /// The user as an operator.
    func asOperator(_ user: User) async throws -> Operator {
        let identity = Identity(user: user, credential: .jwt(expires: nil), isOperatorByCredential: true)
        return try await Operators(messaging(), admins: []).require(.user(identity), logger: logger)
    }

    func relay(_ outbox: (any ParleyModel.Outbox)? = nil, log: (any MessageLog)? = nil) -> OutboxRelay {
        OutboxRelay(
            outbox: outbox ?? store, history: store, log: log ?? memory, clock: clock.wall, logger: logger,
            // The limit of a caller is for stores that hang, not for a machine with much else to do.
            sleep: { try await Task.sleep(for: $0 * 20) })
    }

    /// A user without a password.
    func user(_ name: String) async throws -> User {
        let user = User(id: UserID(trusted: "id-\(name)"), name: name)
        try await store.createUser(user, passwordHash: nil)
        return user
    }

    /// Stores everything that the log has accepted.
    func persist() async throws {
        for partition in memory.partitions {
            while try await memory.backlog(of: partition) > 0 {
                let batch = try await memory.read(
                    partition, after: try await store.checkpoint(of: partition), limit: 1000)
                await memory.stored(batch, outcomes: try await store.write(batch))
            }
        }
    }

    /// What persisters do some seconds later, in other processes.
    func recover() async throws {
        clock.milliseconds += 10_000
        for _ in 0..<2 {
            _ = try await relay().relayOverdue(age: 1500, timeout: .seconds(5))
            try await store.finishCleanups()
            try await persist()
        }
    }

    /// The remaining entries of the outbox.
    func outbox() async throws -> [OutboxEntry] {
        try await store.outboxEntries(of: nil, limit: 1000)
    }

    /// The stored events of a thread.
    func events(in thread: ThreadID) async throws -> [ParleyModel.LogEvent] {
        try await store.events(in: thread, after: 0, limit: 1000).events
    }
}

extension Caller {
    /// A user who has logged in.
    init(_ user: User) {
        self.init(Identity(user: user, credential: .password))
    }
}
