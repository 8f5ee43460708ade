package import Logging
package import Metrics
package import NIOCore
import ParleyChannels
package import ParleyModel
import ParleyRedisClient

/// The bus of one node on Redis, with a dedicated subscriber connection to each host.
///
/// All state is owned by one event loop, on which the receiver is called. If a host is disconnected, or is lost before
/// the acknowledgement, its topics are subscribed with the next connection, as are the topics of a lost connection;
/// then the receiver gets `resubscribed`. Any thread can ask which hosts are connected.
package final class RedisBus: ThreadBus {
    private let eventLoop: any EventLoop
    private let hosts: RedisHosts
    private let codec: ChannelsCodec
    private let clock: WallClock
    /// The channel that only this node subscribes to.
    private let ownChannel: String
    /// The hosts whose subscriber is connected.
    private let receiving: HostFlags
    private let core: NIOLoopBoundBox<RedisBusCore>

    /// - Parameter hosts: the connections used for publishing; started by the caller.
    package init(
        hosts: RedisHosts, eventLoop: any EventLoop, clock: WallClock = .system, logger: Logger,
        metrics: any MetricsFactory
    ) {
        self.eventLoop = eventLoop
        self.hosts = hosts
        self.clock = clock
        codec = ChannelsCodec(hosts.settings.channels)
        var generator = SystemRandomNumberGenerator()
        let ownChannel = hosts.layout.names.node(
            Epoch.make(using: &generator).text + Epoch.make(using: &generator).text)
        self.ownChannel = ownChannel
        let links = hosts.settings.addresses.map { address in
            SubscriberLink(
                address, ownChannel: ownChannel, eventLoop: eventLoop, settings: hosts.settings.link,
                transport: hosts.transport, logger: logger,
                metrics: { LinkMetrics(host: address.label, link: "subscriber", factory: metrics) })
        }
        let receiving = HostFlags(count: links.count)
        self.receiving = receiving
        let core = RedisBusCore(links, hosts, receiving, BusMetrics(factory: metrics), logger)
        self.core = .makeBoxSendingValue(core, eventLoop: eventLoop)
    }

    /// Connects to all hosts and starts the heartbeats. Must be called once.
    package func start() {
        eventLoop.execute { self.core.value.start() }
        let interval = TimeAmount(hosts.settings.link.heartbeat)
        eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [weak self] task in
            guard let self, !core.value.isStopped else { return task.cancel() }
            beat()
        }
    }

    /// Publishes a heartbeat to this node's own channel on every host.
    private func beat() {
        for (host, number) in core.value.beat() {
            hosts.commands[host].send(RESPCommand("PUBLISH", ownChannel, String(number))) { [weak self] result in
                guard let self, case .success(.integer) = result else { return }
                eventLoop.execute { self.core.value.published(number, on: host) }
            }
        }
    }

    /// Stops permanently.
    package func stop() async {
        try? await eventLoop.submit { self.core.value.stop() }.get()
    }

    /// Waits until all hosts are connected.
    package func waitUntilReady(within limit: Duration) async throws {
        try await eventLoop.flatSubmit { self.core.value.whenReady(within: limit) }.get()
    }

    /// Waits as `RedisHosts.waitUntilAnyIsReady` does.
    package func waitUntilAnyIsReady(within limit: Duration, others: Duration) async throws {
        let isAnyReady = { [self] in hosts.commands.indices.contains { receiving[$0] } }
        try await waitUntilAny(within: limit, others: others, isAnyReady: isAnyReady) {
            try await waitUntilReady(within: $0)
        }
    }

    package func isReceiving(_ thread: ThreadID) -> Bool {
        receiving[hosts.layout.host(of: thread)]
    }

    package func isReachable(_ thread: ThreadID) -> Bool {
        isReachable(host: hosts.layout.host(of: thread))
    }

    package var reach: BusReach {
        let count = hosts.commands.indices.count { isReachable(host: $0) }
        return count == hosts.commands.count ? .all : count > 0 ? .some : .none
    }

    private func isReachable(host: Int) -> Bool {
        receiving[host] && hosts.commands[host].isReady
    }

    package func attach(_ receiver: @escaping @Sendable (BusSignal) -> Void) {
        eventLoop.execute { self.core.value.receiver = receiver }
    }

    package func subscribe(
        to topics: [BusTopic], completion: @escaping @Sendable (Result<Void, BusError>) -> Void
    ) {
        eventLoop.execute { self.core.value.subscribe(to: topics, completion) }
    }

    package func unsubscribe(from topics: [BusTopic]) {
        eventLoop.execute { self.core.value.unsubscribe(from: topics) }
    }

    package func publish(_ event: ControlEvent, to user: UserID) {
        let channel = hosts.layout.names.control(of: user)
        publish(SignalPayload.value(of: event), on: channel, host: hosts.layout.ring.host(of: channel))
    }

    package func publish(_ event: EphemeralEvent, in thread: ThreadID) {
        publish(
            SignalPayload.value(of: event), on: hosts.layout.names.events(of: thread),
            host: hosts.layout.host(of: thread))
    }

    private func publish(_ value: ChannelsValue, on channel: String, host: Int) {
        guard let payload = try? codec.encode(value, seconds: clock.seconds) else { return }
        var command = RESPCommand(count: 3)
        command.append("PUBLISH")
        command.append(channel)
        command.append(payload)
        hosts.commands[host].send(command) { _ in }
    }
}
