package import Logging
package import NIOCore

/// A connection to Redis that reconnects automatically: performs the actions of a `ConnectionMachine`.
///
/// For an address with sentinels, they are queried on each attempt and watched in between. Owned by its event loop:
/// used only there from `start` on.
package final class RedisLink {
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
    private var connection: (any RedisConnection)?
    private var connectedTo: RedisEndpoint?
    private var attempts = 0
    private var health: Scheduled<Void>?
    private var waiters: [EventLoopPromise<Void>] = []
    /// Must be set before `start`.
    package weak var owner: (any RedisLinkOwner)?

    package init(
        _ address: RedisAddress, eventLoop: any EventLoop, settings: RedisLinkSettings,
        transport: any RedisTransport, scripts: [String] = [], logger: Logger, metrics: @escaping () -> LinkMetrics
    ) {
        name = address.description
        endpoints = address.endpoints
        lookup = SentinelLookup(address, eventLoop: eventLoop, settings: settings, transport: transport)
        watch = SentinelWatch(
            address, eventLoop: eventLoop, settings: settings, transport: transport, logger: logger)
        connector = RedisConnector(
            transport, address.tls, eventLoop: eventLoop, timeout: settings.connectTimeout)
        self.eventLoop = eventLoop
        self.settings = settings
        self.logger = logger
        makeMetrics = metrics
        machine = ConnectionMachine(
            greeting: Greeting.all(for: address, scripts: scripts), backoff: settings.backoff)
    }

    /// A connection to one of an address's sentinels; returns `nil` if there are none.
    package init?(
        sentinels address: RedisAddress, eventLoop: any EventLoop, settings: RedisLinkSettings,
        transport: any RedisTransport, logger: Logger
    ) {
        guard let first = address.sentinels.first else { return nil }
        name = "\(address), a sentinel"
        endpoints = address.sentinels.flatMap(\.endpoints)
        lookup = nil
        watch = nil
        connector = RedisConnector(
            transport, address.tls, eventLoop: eventLoop, timeout: settings.connectTimeout)
        self.eventLoop = eventLoop
        self.settings = settings
        self.logger = logger
        makeMetrics = nil
        machine = ConnectionMachine(greeting: Greeting.all(for: first), backoff: settings.backoff)
    }

    package var isReady: Bool { machine.isReady }
    var reason: String { machine.reason }
    /// The ID of the server process; empty if not permitted.
    package var serverID: String { machine.serverID }

    package func start() {
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

    package func stop() {
        health?.cancel()
        health = nil
        watch?.stop()
        perform(machine.stopped())
        for waiter in takeWaiters() { waiter.fail(RedisError.notConnected("stopped")) }
    }

    /// Succeeds when the connection is ready and its owner has been told.
    package func whenReady(within limit: Duration) -> EventLoopFuture<Void> {
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

    package func write(_ bytes: ByteBuffer) {
        connection?.write(bytes)
    }

    package func flush() {
        connection?.flush()
    }

    /// Closes this connection, if there is one, and reconnects.
    package func giveUp(_ reason: String) {
        perform(machine.giveUp(reason))
    }

    /// Gives up the connection if the sentinels now report another master.
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
        connection = nil
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
            connection?.close()
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
        let receiver = ReplyReceiver(
            reader,
            ReplyReceiver.Callbacks(
                opened: { [weak self] in
                    guard let self else { return $0.close() }
                    opened($0, to: endpoint)
                },
                bytesReceived: { [weak self] in self?.machine.bytesReceived() },
                answered: { [weak self] in self?.received($0) },
                parseFailed: { [weak self] in self?.parseFailed($0) }, ended: { [weak self] in self?.ended($0) }))
        connector.open(endpoint, receiver)
    }

    private func opened(_ connection: any RedisConnection, to endpoint: RedisEndpoint) {
        connectedTo = endpoint
        // It may be closed already; its end is reported after this.
        self.connection = connection
        perform(machine.connected())
    }
}
