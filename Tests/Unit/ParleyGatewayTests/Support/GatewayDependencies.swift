import Logging
import MetricsTestKit
import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyGateway
import ParleyMemory
import ParleyMessaging
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport

/// A gateway and everything that it depends on: a real store in a file of its own, a real log and bus, and test doubles
/// in front of store and log that fail on demand.
struct GatewayDependencies: Sendable {
    let store: SQLiteStore
    let directory: GatedDirectory
    let log: FaultyLog
    let bus: FaultyBus
    let gateway: Gateway
    let budgets: Budgets
    let logger: Logger
    let metrics: TestMetrics
    let clock: TestClock
    let guestNames: any GuestNames
    private let memoryLog: MemoryLog
    private let work: WorkPool
    private let files: TemporaryDirectory
    private let workers: PasswordWorkers

    init(
        loops: [any EventLoop], _ adjust: (inout GatewaySettings) -> Void = { _ in },
        fault order: PlantedFault.Order? = nil,
        accounts adjustAccounts: (inout AccountSettings) throws -> Void = { _ in }
    ) async throws {
        var settings = GatewaySettings(node: "test")
        adjust(&settings)
        clock = TestClock(milliseconds: 1_800_000_000_000)
        let wall = clock.wall
        files = try TemporaryDirectory()
        store = try SQLiteStore(
            path: files.path + "/parley.db", clock: wall, busyTimeout: .patience, waitLimit: .patience)
        try await store.migrate()
        directory = GatedDirectory(store)
        let broker = MemoryBroker()
        bus = FaultyBus(broker.makeBus())
        memoryLog = MemoryLog(
            bus: broker, history: store, clock: wall, settings: MemoryLogSettings(acceptance: .immediately))
        log = FaultyLog(memoryLog)
        metrics = TestMetrics()
        guestNames = MemoryGuestNames()
        var accountSettings = AccountSettings(secret: Secret(text: String(repeating: "s", count: 32)))
        accountSettings.passwordIterations = 1
        accountSettings.limits = settings.limits
        accountSettings.directory.memory = .zero
        try adjustAccounts(&accountSettings)
        logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let batched = BatchedDirectory(
            directory, apiKeys: accountSettings.apiKeys, settings: accountSettings.directory, clock: wall)
        let services = try await AccountServices(
            settings: accountSettings, accounts: store, directory: batched,
            ticketStore: MemoryTicketStore(clock: wall), clock: wall, logger: logger)
        workers = services.workers
        work = WorkPool()
        let presenceRegistry = MemoryPresence(broker: broker, clock: .system).makeRegistry()
        let presence = PresenceWatch(
            loop: loops[0], presenceRegistry: presenceRegistry, bus: bus, work: work
        ) { [store] in
            try await store.peers(among: $0)
        }
        let fanOut = FanOut(
            loops: loops, bus: bus, log: log, work: work,
            metrics: FanOutMetrics(factory: metrics))
        budgets = Budgets(
            BudgetSettings(
                limits: settings.limits, rates: MemoryRateStore(clock: .system),
                uptime: { Int64(clamping: NIODeadline.now().uptimeNanoseconds / 1000) },
                submit: { [work] in work.submit($0) }, limitReached: LimitCounters(factory: metrics).reached))
        let fault = order.map { [metrics] in PlantedFault($0, metrics: metrics) }
        gateway = Gateway(
            settings: settings,
            delivery: DeliveryServices(
                fanOut, presence, feed: store, isAlive: { try await services.sessions.isAlive($0, of: $1) },
                isKey: { try await batched.apiKey($0) != nil },
                profiles: { [store] in try await store.profiles(of: $0) },
                logger: logger),
            messaging: Messaging(
                MessagingPorts(
                    log: log, bus: bus, store: store, state: store, accounts: store, directory: batched,
                    readMarks: IgnoredReadMarks()),
                budgets: budgets,
                relay: OutboxRelay(outbox: store, history: store, log: log, clock: wall, logger: logger),
                hash: services.login.hash, clock: wall, logger: logger),
            accounts: services, guestNames: guestNames, work: work, clock: wall,
            telemetry: GatewayTelemetry(logger: logger, metrics: GatewayMetrics(factory: metrics)),
            members: { fault?.decorate($0) ?? $0 })
        try await gateway.start()
    }

    /// Runs what the node needs while `body` runs.
    func whileRunning<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        let result: Result<Value, any Error> = await withTaskGroup(of: Void.self) { group in
            group.addTask { await memoryLog.run() }
            group.addTask { await work.run() }
            group.addTask { await gateway.presence.run() }
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            directory.gate.open()
            work.finish()
            group.cancelAll()
            return result
        }
        await workers.shutDown()
        try? await store.close()
        return try result.get()
    }

    // MARK: Users and rooms

    /// A user with a session.
    func person(_ name: String, expires: Int64 = .max / 2) async throws -> Person {
        let user = User(id: UserID(trusted: "id-\(name)"), name: name)
        try await store.createUser(user, passwordHash: nil)
        return try await session(of: user, expires: expires)
    }

    /// A further session.
    func session(of user: User, expires: Int64 = .max / 2) async throws -> Person {
        let (token, hash) = SessionTokens.make()
        try await store.createSession(AuthSession(tokenHash: hash, user: user, expires: expires))
        return Person(user: user, token: token, tokenHash: hash)
    }

    /// Adds the members in the store, without an event.
    @discardableResult
    func room(_ title: String, _ members: [Person]) async throws -> ThreadInfo {
        let id = ThreadID(trusted: "room-\(title)")
        try await store.importRoom(title, id: id, members: members.map(\.user), at: clock.wall.milliseconds)
        return ThreadInfo(id: id, kind: .room, title: title)
    }

    // MARK: Counters

    /// The value of a counter; 0 if nothing was ever counted.
    func counted(_ label: String, _ dimensions: [(String, String)] = []) -> Int64 {
        ((try? metrics.expectCounter(label, dimensions))?.totalValue) ?? 0
    }
}

/// Somebody with a session.
struct Person: Sendable {
    let user: User
    let token: String
    let tokenHash: TokenHash

    var cookie: HTTPClient.Headers { [("Cookie", "sessionid=\(token)")] }
    var id: String { user.id.text }
    var name: String { user.name }
}
