package import Logging
package import Metrics
package import NIOCore
import ParleyChannels
package import ParleyModel
package import ParleyRedis
import ParleyRedisClient

/// Django's core layer beside the bus and the log: nodes are members of the groups of the threads that they are
/// subscribed to, and messages are sent to the queues of Django's consumers. See decision 040.
package final class QueueLayer: Sendable {
    /// The bus with the events of Django's groups.
    package let bus: any ThreadBus
    /// The log, whose messages are sent to Django.
    package let log: any MessageLog

    private let sender: QueueSender
    private let inbox: NIOLoopBoundBox<QueueInbox>
    private let readers: [QueueReader]
    private let claim: QueueClaim
    private let eventLoop: any EventLoop
    private let renewal: TimeAmount

    /// Returns `nil` unless the settings have a core layer.
    /// - Parameters:
    ///   - bus: The bus between nodes.
    ///   - eventLoop: The event loop of the bus.
    ///   - eventLoops: One or more event loops, over which the connections are distributed.
    package init?(
        hosts: RedisHosts, bus: RedisBus, log: any MessageLog, eventLoop: any EventLoop,
        eventLoops: [any EventLoop], clock: WallClock = .system, logger: Logger, metrics factory: any MetricsFactory
    ) {
        guard let settings = hosts.settings.channels.core else { return nil }
        let metrics = QueueLayerMetrics(factory: factory)
        let queues = LayerQueues(node: settings.node, ring: hosts.layout.ring)
        let sender = QueueSender(settings, hosts: hosts, clock: clock, metrics: metrics, logger: logger)
        let inbox = NIOLoopBoundBox.makeBoxSendingValue(
            QueueInbox(
                settings, queues, hosts: hosts, eventLoop: eventLoop, clock: clock,
                metrics: (metrics, BusMetrics(factory: factory)), logger: logger),
            eventLoop: eventLoop)
        self.sender = sender
        self.inbox = inbox
        self.eventLoop = eventLoop
        renewal = .seconds(max(1, settings.membershipSeconds / 4))
        readers = hosts.settings.addresses.enumerated().map { index, address in
            // A host without queues of its own lists the queues of all hosts, and has nothing to read.
            let own = queues.queues[index].filter { hosts.layout.ring.host(of: $0) == index }
            return QueueReader(
                address, queues: own.map(hosts.layout.names.layerQueue),
                eventLoop: eventLoops[index % eventLoops.count], settings: hosts.settings.link,
                transport: hosts.transport, logger: logger
            ) { events in
                eventLoop.execute { inbox.value.received(events) }
            }
        }
        claim = QueueClaim(node: settings.node, hosts: hosts, logger: logger)
        self.bus = QueueLayerBus(bus, inbox, eventLoop)
        self.log = QueueLayerLog(log, sender)
    }

    /// Starts receiving. Must be called once, by a process that uses the bus.
    /// - Throws: `QueueClaim.Taken` if another process has the node's name.
    package func start() async throws {
        try await claim.take()
        eventLoop.scheduleRepeatedTask(initialDelay: QueueClaim.renewal, delay: QueueClaim.renewal) { [claim] task in
            guard claim.renew() else { return task.cancel() }
        }
        eventLoop.scheduleRepeatedTask(initialDelay: renewal, delay: renewal) { [weak self] task in
            guard let self else { return task.cancel() }
            inbox.value.renew()
        }
        for reader in readers { reader.start() }
    }

    /// Sends messages to Django until the task is cancelled.
    package func run() async {
        await sender.run()
    }

    /// Leaves all groups, and stops permanently.
    package func stop() async {
        let promise = eventLoop.makePromise(of: Void.self)
        // Redis may be unavailable.
        let timeout = eventLoop.scheduleTask(in: .seconds(2)) { promise.succeed() }
        eventLoop.execute { self.inbox.value.leaveAll { promise.succeed() } }
        try? await promise.futureResult.get()
        timeout.cancel()
        for reader in readers { await reader.stop() }
        await claim.release()
    }
}

/// The bus between nodes, and the groups of Django. Everything that arrives in a group is a foreign event.
private final class QueueLayerBus: ThreadBus {
    private let bus: RedisBus
    private let inbox: NIOLoopBoundBox<QueueInbox>
    private let eventLoop: any EventLoop

    init(_ bus: RedisBus, _ inbox: NIOLoopBoundBox<QueueInbox>, _ eventLoop: any EventLoop) {
        self.bus = bus
        self.inbox = inbox
        self.eventLoop = eventLoop
    }

    func attach(_ receiver: @escaping @Sendable (BusSignal) -> Void) {
        eventLoop.execute { self.inbox.value.receiver = receiver }
        // Called on the event loop.
        bus.attach { [inbox] signal in
            receiver(signal)
            if case .resubscribed = signal { inbox.value.renew() }
        }
    }

    func subscribe(to topics: [BusTopic], completion: @escaping @Sendable (Result<Void, BusError>) -> Void) {
        let threads = topics.compactMap(\.thread)
        // Joining must precede the read of the log over the same connection, after which sockets count as joined.
        if !threads.isEmpty { eventLoop.execute { self.inbox.value.join(threads) } }
        bus.subscribe(to: topics, completion: completion)
    }

    func isReceiving(_ thread: ThreadID) -> Bool { bus.isReceiving(thread) }
    func isReachable(_ thread: ThreadID) -> Bool { bus.isReachable(thread) }
    var reach: BusReach { bus.reach }

    func unsubscribe(from topics: [BusTopic]) {
        let threads = topics.compactMap(\.thread)
        if !threads.isEmpty { eventLoop.execute { self.inbox.value.leave(threads) } }
        bus.unsubscribe(from: topics)
    }

    func publish(_ event: ControlEvent, to user: UserID) { bus.publish(event, to: user) }

    func publish(_ event: EphemeralEvent, in thread: ThreadID) { bus.publish(event, in: thread) }
}

/// The log, which notifies the `QueueSender` of each message that this node appends.
private struct QueueLayerLog: MessageLog {
    private let log: any MessageLog
    private let sender: QueueSender

    init(_ log: any MessageLog, _ sender: QueueSender) {
        self.log = log
        self.sender = sender
    }

    func append(_ draft: EventDraft, completion: @escaping @Sendable (Result<Receipt, AppendError>) -> Void) {
        guard draft.message != nil else { return log.append(draft, completion: completion) }
        log.append(draft) { [sender] result in
            if case .success(let receipt) = result, !receipt.isRepeat { sender.appended(receipt.thread) }
            completion(result)
        }
    }

    func head(of thread: ThreadID) async throws(AppendError) -> ThreadHead? { try await log.head(of: thread) }

    func heads(of threads: [ThreadID]) async throws(AppendError) -> [ThreadID: ThreadHead] {
        try await log.heads(of: threads)
    }

    func ends(of threads: [ThreadID]) async throws(AppendError) -> [ThreadID: Position] {
        try await log.ends(of: threads)
    }

    func events(in thread: ThreadID, after: Int64, limit: Int) async throws(AppendError) -> LogSlice {
        try await log.events(in: thread, after: after, limit: limit)
    }

    func redact(_ redaction: LogRedaction, in thread: ThreadID) async throws(AppendError) {
        try await log.redact(redaction, in: thread)
    }

    func forget(_ thread: ThreadID) async throws(AppendError) { try await log.forget(thread) }

    var hostCount: Int { log.hostCount }

    func host(of thread: ThreadID) -> Int { log.host(of: thread) }
}

extension BusTopic {
    fileprivate var thread: ThreadID? {
        if case .thread(let thread) = self { thread } else { nil }
    }
}
