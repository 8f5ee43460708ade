import Logging
import NIOCore

/// A connection to Redis that reconnects automatically: performs the actions of a `ConnectionMachine`.
///
/// For an address with sentinels, they are queried on each attempt and watched in between. Owned by its event loop:
/// used only there from `start` on.
final class RedisLink {
    private let name: String
    /// The endpoints to connect to, in turn.
    private let endpoints: [RedisEndpoint]
    private let lookup: SentinelLookup?
    private let watch: SentinelWatch?
    private let connector: RedisConnector
    private let eventLoop: any EventLoop
    private let settings: RedisLinkSettings
    private let logger: Logger
    private let makeMetrics: (() -> LinkMetrics)?
    /// Set by `start`, so that a link that was never started does not count as down.
    private var metrics: LinkMetrics?
    private var machine: ConnectionMachine
    private var channel: (any Channel)?
    private var connectedTo: RedisEndpoint?
    private var attempts = 0
    private var health: Scheduled<Void>?
    private var waiters: [EventLoopPromise<Void>] = []
    /// Must be set before `start`.
    weak var owner: (any RedisLinkOwner)?

    init(
        _ address: RedisAddress, eventLoop: any EventLoop, settings: RedisLinkSettings, scripts: [String] = [],
        logger: Logger, metrics: @escaping () -> LinkMetrics
    ) {
        name = address.description
        endpoints = address.endpoints
        lookup = SentinelLookup(address, eventLoop: eventLoop, settings: settings)
        watch = SentinelWatch(address, eventLoop: eventLoop, settings: settings, logger: logger)
        connector = RedisConnector(address.tls, eventLoop: eventLoop, timeout: settings.connectTimeout)
        self.eventLoop = eventLoop
        self.settings = settings
        self.logger = logger
        makeMetrics = metrics
        machine = ConnectionMachine(
            greeting: Greeting.all(for: address, scripts: scripts), backoff: settings.backoff)
    }

    /// A connection to one of an address's sentinels; returns `nil` if there are none.
    init?(sentinels address: RedisAddress, eventLoop: any EventLoop, settings: RedisLinkSettings, logger: Logger) {
        guard let first = address.sentinels.first else { return nil }
        name = "\(address), a sentinel"
        endpoints = address.sentinels.flatMap(\.endpoints)
        lookup = nil
        watch = nil
        connector = RedisConnector(address.tls, eventLoop: eventLoop, timeout: settings.connectTimeout)
        self.eventLoop = eventLoop
        self.settings = settings
        self.logger = logger
        makeMetrics = nil
        machine = ConnectionMachine(greeting: Greeting.all(for: first), backoff: settings.backoff)
    }

    var isReady: Bool { machine.isReady }
    var reason: String { machine.reason }
    /// The id of the server process; empty if not permitted.
    var serverID: String { machine.serverID }

    func start() {
        metrics = makeMetrics?()
        scheduleTick()
        perform(machine.started())
        watch?.switched = { [weak self] in self?.giveUp("the sentinels report another master") }
        watch?.restored = { [weak self] in self?.checkMaster() }
        watch?.start()
    }

    private func scheduleTick() {
        let interval = TimeAmount(settings.silence / 3)
        health = eventLoop.assumeIsolated().scheduleTask(in: interval) { [weak self] in
            guard let self else { return }
            perform(machine.ticked())
            scheduleTick()
        }
    }

    func stop() {
        health?.cancel()
        health = nil
        watch?.stop()
        perform(machine.stopped())
        for waiter in takeWaiters() { waiter.fail(RedisError.notConnected("stopped")) }
    }

    /// Succeeds when the connection is ready and its owner has been told.
    func whenReady(within limit: Duration) -> EventLoopFuture<Void> {
        if isReady { return eventLoop.makeSucceededVoidFuture() }
        let promise = eventLoop.makePromise(of: Void.self)
        waiters.append(promise)
        let timeout = eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) { [weak self] in
            promise.fail(RedisError.notConnected(self?.reason ?? "stopped"))
        }
        promise.futureResult.assumeIsolated().whenComplete { _ in timeout.cancel() }
        return promise.futureResult
    }

    private func takeWaiters() -> [EventLoopPromise<Void>] {
        defer { waiters = [] }
        return waiters
    }

    func write(_ bytes: ByteBuffer) {
        channel?.write(bytes, promise: nil)
    }

    func flush() {
        channel?.flush()
    }

    /// Closes this connection, if there is one, and reconnects.
    func giveUp(_ reason: String) {
        perform(machine.giveUp(reason))
    }

    /// Gives the connection up if the sentinels now report another master.
    private func checkMaster() {
        guard isReady else { return }
        lookup?.endpoint().assumeIsolated().whenSuccess { [weak self] endpoint in
            guard let self, let connectedTo, connectedTo != endpoint else { return }
            giveUp("the sentinels report another master")
        }
    }

    // MARK: Handler callbacks

    private func received(_ reply: RESPValue) {
        let (isGreeting, actions) = machine.answered(reply)
        perform(actions)
        guard !isGreeting, machine.isReady else { return }
        owner?.linkReceived(reply)
        // The master has become a replica; the address must be looked up again.
        if case .error(let text) = reply, text.contains("READONLY") { giveUp(text) }
    }

    private func parseFailed(_ error: RESPReader.ParseError) {
        logger.error("invalid reply from Redis", metadata: ["redis": "\(name)", "error": "\(error)"])
        giveUp("unreadable: \(error)")
    }

    private func ended(_ reason: String) {
        channel = nil
        var generator = SystemRandomNumberGenerator()
        let actions = machine.ended(reason, using: &generator)
        if case .wait = actions.first { metrics?.attemptFailed() }
        perform(actions)
    }

    // MARK: Performing

    private func perform(_ actions: [ConnectionMachine.Action]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: ConnectionMachine.Action) {
        switch action {
        case .connect:
            connect()
        case .greet(let commands):
            for command in commands { write(command.bytes) }
            flush()
        case .becomeReady:
            logger.info("connected to Redis", metadata: ["redis": "\(name)"])
            metrics?.becameReady()
            owner?.linkBecameReady()
            for waiter in takeWaiters() { waiter.succeed() }
        case .becomeLost(let reason):
            if machine.isStopped {
                logger.info("disconnected from Redis", metadata: ["redis": "\(name)"])
            } else {
                logger.warning("connection to Redis lost", metadata: ["redis": "\(name)", "reason": "\(reason)"])
            }
            metrics?.becameLost()
            owner?.linkBecameLost(reason)
        case .ping:
            owner?.linkWantsPing()
        case .close:
            channel?.close(promise: nil)
        case .wait(let duration):
            logger.debug("reconnecting to Redis", metadata: ["redis": "\(name)", "reason": "\(machine.reason)"])
            eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration)) { [weak self] in
                guard let self else { return }
                perform(machine.waited())
            }
        }
    }

    // MARK: Connecting

    private func connect() {
        if let lookup {
            lookup.endpoint().assumeIsolated().whenComplete { [weak self] result in
                switch result {
                case .success(let endpoint): self?.connect(to: endpoint)
                case .failure(let error): self?.ended("\(error)")
                }
            }
        } else {
            connect(to: endpoints[attempts % endpoints.count])
            attempts += 1
        }
    }

    private func connect(to endpoint: RedisEndpoint) {
        guard let reader = RESPReader(settings.limits) else { return ended("out of memory") }
        let handler = RESPHandler(
            reader,
            RESPHandler.Callbacks(
                bytesReceived: { [weak self] in self?.machine.bytesReceived() },
                answered: { [weak self] in self?.received($0) },
                parseFailed: { [weak self] in self?.parseFailed($0) }, ended: { [weak self] in self?.ended($0) }))
        connector.open(endpoint, handler).assumeIsolated().whenComplete { [weak self] result in
            switch result {
            case .success(let channel):
                guard let self else { return channel.close(promise: nil) }
                connectedTo = endpoint
                // The channel may be closed already; its end is reported after this.
                self.channel = channel
                perform(machine.connected())
            case .failure(let error):
                self?.ended("\(error)")
            }
        }
    }
}
