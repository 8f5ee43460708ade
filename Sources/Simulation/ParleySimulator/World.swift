import Logging
import NIOCore
import NIOHTTP1
import ParleyAccounts
import ParleyMessaging
import ParleyModel
import ParleyRedis
import ParleyRedisClient
import ParleyRedisModel
import ParleySockets
import ParleyStorage
import ParleyStoreModel

/// A simulated cluster: its nodes, its servers, its users, and what happens to them according to a plan.
///
/// Confined to the simulator's only thread.
package final class World: @unchecked Sendable {
    // `@unchecked Sendable`: the simulator has one thread.
    let plan: Plan
    package let scheduler: Scheduler
    package let story: Story
    let observations: Observations
    let network: Network
    let kernel: SimulatedKernel
    let redis: RedisMachine
    let databaseServer: ModelServer
    let databaseState: DatabaseState
    let roomViews: RoomViews
    /// The endpoint of webhooks, in every fourth seed.
    let endpoint: SimulatedEndpoint?
    /// The database as the checker sees it, without faults.
    let database: ModelDatabase
    private(set) var nodes: [String: SimulatedNode] = [:]
    private(set) var users: [SimulatedUser] = []
    /// The ids of the threads that users are in.
    var rooms: [String] = []
    /// The owners of the rooms, who joined first, and of the groups, who made them.
    var owners: [String: User] = [:]
    /// The ways into threads.
    var entrances = Entrances()
    private var lines: [ClientLine] = []
    private var frozenGateways: Set<String> = []
    private var generator: SeededGenerator
    private var lives = 0
    private var begin: Int64 = 0
    /// States of Redis, every half second, if a fault goes back to one.
    private var redisStates: [(at: Int64, state: RedisServerModel)] = []
    /// When sends may have been accepted that Redis has lost.
    private(set) var losses: [ClosedRange<Int64>] = []

    /// When Redis ended with a loss, and when gateways have been started.
    private var lossyEnds: [Int64] = []
    private var gatewayStarts: [Int64] = []

    private static let secret = Secret(text: "a secret of the simulated cluster, long enough")

    package init(_ plan: Plan, isPrinted: Bool) {
        self.plan = plan
        let scheduler = Scheduler(seed: plan.seed)
        self.scheduler = scheduler
        scheduler.interleaving.holdsUpOnceIn = plan.holdsUpOnceIn
        story = Story(isPrinted: isPrinted, now: { scheduler.now })
        observations = Observations(story)
        network = Network(seed: plan.seed)
        network.lateOnceIn = plan.lateOnceIn
        kernel = SimulatedKernel.install()
        var settings = RedisSettings(addresses: [RedisAddress(.tcp(host: "redis", port: 6379))])
        settings.log.storeDelay = .milliseconds(plan.storesEvery)
        var configuration = RedisServerModel.Configuration(scripts: ScriptLibrary([settings]))
        configuration.persistence = plan.syncsAlways ? .always : .everySecond
        redis = RedisMachine(configuration, seed: plan.seed, network: network, on: scheduler, story: story)
        redisSettings = settings
        let wall = WallClock { scheduler.wallNow / 1_000_000 }
        databaseServer = ModelServer(clock: wall)
        databaseState = DatabaseState(seed: plan.seed)
        roomViews = RoomViews(databaseServer)
        endpoint = plan.seed.isMultiple(of: 4) ? SimulatedEndpoint(seed: plan.seed, story: story) : nil
        database = ModelDatabase(
            databaseServer, client: "checker", clock: wall, contentKey: ContentKey(secret: Self.secret.bytes),
            nameLook: { NameLook(of: $0) })
        generator = SeededGenerator(seed: plan.seed, purpose: 6)
    }

    private let redisSettings: RedisSettings

    /// Whether something seen at this time is in the window that decision 050 leaves open: appended within a second before
    /// Redis lost it, and a gateway that had not seen it started afterwards.
    private func mayBeUnnoticed(_ seen: Int64) -> Bool {
        lossyEnds.contains { end in
            (end - 1_500_000_000...end).contains(seen) && gatewayStarts.contains { $0 > end }
        }
    }

    // MARK: Life

    /// Runs the plan to its end.
    /// - Returns: the violations.
    package func run() -> [String] {
        observations.mayBeUnnoticed = { [unowned self] in mayBeUnnoticed($0) }
        observations.view = { [roomViews] in roomViews.view(of: $0) }
        observations.isMember = { [roomViews] user, thread in
            guard let user = UserID(user), let thread = ThreadID(thread) else { return false }
            return roomViews.standing(of: user, in: thread, by: user).isMember
        }
        guard setUp() else { return observations.violations + ["the cluster did not start"] }
        begin = scheduler.now
        for fault in plan.faults { schedule(fault) }
        for command in plan.commands {
            scheduler.call(after: command.at) { [self] in perform(command) }
        }
        if plan.faults.contains(where: { if case .olderRedis = $0.kind { true } else { false } }) { keepStates() }
        scheduler.run(until: begin + plan.end)
        story.tell("world", "everything is healed")
        heal()
        endpoint?.isReliable = true
        endSuspensions()
        settle()
        waitForNotice()
        checkMemberships()
        knockEverywhere()
        probeRights()
        probeBlocks()
        FinalCheck(self).run()
        checkWebhook()
        return observations.violations
    }

    private func setUp() -> Bool {
        let isSet = wait { [self] in
            for index in 0..<plan.users {
                guard let user = UserID("user\(index + 1)") else { return false }
                let account = User(id: user, name: "user-\(index + 1)")
                try await database.createUser(account, passwordHash: nil, origin: .command)
            }
            return true
        }
        guard isSet == true else { return false }
        for name in plan.gatewayNames { startNode(name) }
        for name in plan.persisterNames { startNode(name) }
        guard scheduler.run(atMost: 40_000_000_000, until: { nodes.values.allSatisfy(\.isReady) }) else {
            for node in nodes.values { story.tell(node.name, "start: \(node.failure.map { "\($0)" } ?? "no answer")") }
            return false
        }
        guard addWebhook(), makeRooms() else { return false }
        for index in 0..<plan.users {
            guard let user = makeUser(index) else { return false }
            users.append(user)
            scheduler.call(after: generator.within(0...1_000_000_000)) { user.start() }
        }
        return true
    }

    /// Each user joins some of the rooms, over REST.
    private func makeRooms() -> Bool {
        guard let messaging = nodes[plan.gatewayNames[0]]?.parts?.messaging, let node = nodes[plan.gatewayNames[0]]
        else {
            return false
        }
        var joins: [(user: Int, room: Int)] = []
        for user in 0..<plan.users {
            for room in 0..<plan.rooms where room == user % plan.rooms || generator.once(in: 2) {
                joins.append((user, room))
            }
        }
        let plannedJoins = joins
        let ids = wait(on: node) {
            var ids: [Int: String] = [:]
            for (user, room) in plannedJoins {
                guard let id = UserID("user\(user + 1)") else { return ids }
                let sender = User(id: id, name: "user-\(user + 1)")
                let caller = Caller(Identity(user: sender, credential: .password))
                let entrance = try await messaging.join(roomTitled: "room \(room + 1)", by: caller)
                ids[room] = entrance.membership.thread.id.text
            }
            return ids
        }
        rooms = (0..<plan.rooms).compactMap { ids?[$0] }
        for (user, room) in joins {
            guard let thread = ids?[room], owners[thread] == nil, let id = UserID("user\(user + 1)") else { continue }
            owners[thread] = User(id: id, name: "user-\(user + 1)")
        }
        return rooms.count == plan.rooms
    }

    private func makeUser(_ index: Int) -> SimulatedUser? {
        guard let id = UserID("user\(index + 1)") else { return nil }
        let user = User(id: id, name: "user-\(index + 1)")
        let expires = scheduler.wallNow / 1_000_000 + 14 * 24 * 3_600_000
        let token = wait { [self] in
            let (token, hash) = SessionTokens.make()
            let version = try await database.credentials(named: user.name)?.credentialsVersion ?? 0
            return try await database.createSession(
                AuthSession(tokenHash: hash, user: user, expires: expires), credentialsVersion: version) ? token : nil
        }
        guard case .some(.some(let token)) = token else { return nil }
        return SimulatedUser(
            name: user.name, id: id.text, token: token, seed: generator.next(), scheduler: scheduler,
            observations: observations, story: story,
            connect: { [unowned self] head, receiver in connect(head, receiver) })
    }

    private func connect(_ head: HTTPRequestHead, _ receiver: @escaping (ClientLine.Event) -> Void) -> ClientLine? {
        let ready = plan.gatewayNames.compactMap { nodes[$0] }.filter(\.isReady)
        guard let node = generator.element(of: ready) else { return nil }
        lines.removeAll { !$0.isOpen }
        let line = ClientLine(to: node, head, network: network, kernel: kernel, on: scheduler, receiver)
        if frozenGateways.contains(node.name) { line.freeze() }
        lines.append(line)
        return line
    }

    // MARK: Asynchronous calls

    /// Runs an asynchronous function outside of all nodes, or on one, to its end.
    func wait<Value: Sendable>(
        on node: SimulatedNode? = nil, _ body: @escaping @Sendable () async throws -> Value
    ) -> Value? {
        nonisolated(unsafe) var result: Result<Value, any Error>?
        let run: @Sendable () async -> Void = {
            do { result = .success(try await body()) } catch { result = .failure(error) }
        }
        if let node { node.run(run) } else { scheduler.call { Task.detached { await run() } } }
        guard scheduler.run(atMost: 60_000_000_000, until: { result != nil }) else { return nil }
        switch result {
        case .success(let value): return value
        case .failure(let error):
            story.tell("world", "a call failed: \(error)")
            return nil
        case nil: return nil
        }
    }

    // MARK: Nodes

    func startNode(_ name: String) {
        lives += 1
        let skew = plan.skew > 0 ? generator.within(-plan.skew...plan.skew) : 0
        let process = scheduler.makeProcess(name, skew: skew)
        let isGateway = plan.gatewayNames.contains(name)
        if isGateway { gatewayStarts.append(scheduler.now) }
        let node = SimulatedNode(name, isGateway ? .gateway : .persister, process: process, on: scheduler)
        nodes[name] = node
        let hook = DatabaseLink(process, databaseState, on: scheduler)
        let client = "\(name)#\(lives)"
        node.databaseClient = client
        var accounts = AccountSettings(secret: Self.secret)
        accounts.passwordWorkers = 1
        let logger = Logger(label: name) { [story] _ in StoryLogHandler(name, story) }
        let loops = (0..<(isGateway ? 2 : 1)).map { _ in SimulatedEventLoop(process, on: scheduler) }
        node.loops = loops
        node.start(
            NodeEnvironment(
                name: name, role: node.role, loops: loops,
                database: ModelDatabase(
                    databaseServer, client: client, clock: .system,
                    contentKey: ContentKey(secret: Self.secret.bytes), nameLook: { NameLook(of: $0) }, hook: hook),
                locks: ModelPartitionLocks(databaseServer, client: client, hook: hook), transport: redis,
                redis: redisSettings, accounts: accounts, limits: Limits(),
                startPolling: { [kernel] poller in
                    kernel.poll(poller)
                    return poller.eventLoop.makeSucceededFuture(true)
                }, endpoint: endpoint, logger: logger))
        story.tell(name, "starts")
    }

    /// - Parameter isGone: the machine fails; its peers are told nothing.
    func end(_ name: String, isGone: Bool) {
        guard let node = nodes[name], node.isAlive else { return }
        scheduler.kill(node.process)
        redis.processEnded(node.process, isGone: isGone)
        if isGone {
            databaseServer.abandonSessions(of: node.databaseClient)
        } else {
            databaseServer.endSessions(of: node.databaseClient)
        }
        for line in lines where line.node === node {
            if isGone { line.vanish() } else { line.nodeEnded() }
        }
    }

    // MARK: Faults

    private func schedule(_ fault: Fault) {
        scheduler.call(after: fault.at) { [self] in
            story.tell("fault", "\(fault.kind)")
            begin(fault)
        }
        scheduler.call(after: fault.at + fault.lasts) { [self] in
            story.tell("fault", "ends: \(fault.kind)")
            end(fault)
        }
    }

    private func begin(_ fault: Fault) {
        switch fault.kind {
        case .kill(let node): end(node, isGone: false)
        case .crash(let node): end(node, isGone: true)
        case .pause(let node): nodes[node].map { scheduler.pause($0.process) }
        case .cutRedis(let node): redis.cut(node)
        case .muteRedis(let node, let toServer, let toNode):
            redis.setPath(RedisMachine.Path(toServer: toServer, toNode: toNode), of: node)
        case .lossyBus(let node, let times): redis.setLoss(times, of: node)
        case .muteDatabase(let node): databaseState.silent.insert(node)
        case .killRedis: endRedis()
        case .powerFailure: losePower()
        case .emptyRedis, .olderRedis:
            lossyEnds.append(scheduler.now)
            endRedis()
        case .databaseAway: databaseState.isAvailable = false
        case .databaseRestarts:
            databaseState.isAvailable = false
            databaseServer.restart()
        case .databaseSlow: databaseState.delay = 1_000_000...400_000_000
        case .databaseUnreliable(let times):
            databaseState.losesAnswerOnceIn = times
            databaseState.rollsBackOnceIn = times
        case .cutUsers(let node): for line in lines where line.node.name == node { line.cut() }
        case .freezeUsers(let node):
            frozenGateways.insert(node)
            for line in lines where line.node.name == node { line.freeze() }
        }
    }

    private func end(_ fault: Fault) {
        switch fault.kind {
        case .kill(let node), .crash(let node): if nodes[node]?.isAlive == false { startNode(node) }
        case .pause(let node): nodes[node].map { scheduler.resume($0.process) }
        case .cutRedis, .cutUsers: break
        case .muteRedis(let node, _, _): redis.setPath(RedisMachine.Path(), of: node)
        case .lossyBus(let node, _): redis.setLoss(0, of: node)
        case .muteDatabase(let node): databaseState.silent.remove(node)
        case .killRedis, .powerFailure: startRedis()
        case .emptyRedis:
            guard !redis.server.isRunning else { return }
            losses.append(0...scheduler.now)
            redis.start(isEmpty: true)
        case .olderRedis(let by):
            guard !redis.server.isRunning else { return }
            let wanted = scheduler.now - fault.lasts - by
            let state = redisStates.last { $0.at <= wanted } ?? redisStates.first
            losses.append((state?.at ?? 0) - 2_000_000_000...scheduler.now)
            redis.start(from: state?.state)
        case .databaseAway, .databaseRestarts: databaseState.isAvailable = true
        case .databaseSlow: databaseState.delay = DatabaseState.usualDelay
        case .databaseUnreliable:
            databaseState.losesAnswerOnceIn = 0
            databaseState.rollsBackOnceIn = 0
        case .freezeUsers(let node):
            frozenGateways.remove(node)
            for line in lines where line.node.name == node { line.thaw() }
        }
    }

    private func endRedis() {
        if redis.server.isRunning { redis.end() }
    }

    private func losePower() {
        guard redis.server.isRunning else { return }
        if !plan.syncsAlways { losses.append(scheduler.now - 2_000_000_000...scheduler.now) }
        lossyEnds.append(scheduler.now)
        redis.losePower()
    }

    private func startRedis() {
        if !redis.server.isRunning { redis.start() }
    }

    private func keepStates() {
        redisStates.append((scheduler.now, redis.server))
        if redisStates.count > 60 { redisStates.removeFirst() }
        scheduler.call(after: 500_000_000) { [self] in
            if scheduler.now < begin + plan.end { keepStates() }
        }
    }

    /// Ends the faults that remain.
    private func heal() {
        for fault in plan.faults { end(fault) }
        for node in nodes.values.sorted(by: { $0.name < $1.name }) where !node.isAlive || node.failure != nil {
            end(node.name, isGone: false)
            startNode(node.name)
        }
    }
}
