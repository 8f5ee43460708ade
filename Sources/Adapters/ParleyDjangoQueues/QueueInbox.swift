import Logging
import Metrics
import NIOCore
import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyRedisClient

/// The receiving side of the core layer: memberships in groups, and the events in the node's queues.
///
/// Bound to the event loop of the bus.
final class QueueInbox {
    /// The maximum number of groups in one script call.
    private static let batch = 200
    /// The pause before memberships that Redis has not accepted are written again.
    private static let retryDelay = TimeAmount.milliseconds(500)
    /// The maximum number of events of a thread that wait behind held ones.
    private static let releasingLimit = 10_000
    /// The time that a held event waits for more sockets after the node subscribes to its thread.
    private static let heldDelay = TimeAmount.seconds(1)

    private let hosts: RedisHosts
    private let settings: QueueLayerSettings
    private let queues: LayerQueues
    private let codec: ChannelsCodec
    private let eventLoop: any EventLoop
    private let clock: WallClock
    private let metrics: QueueLayerMetrics
    private let busMetrics: BusMetrics
    private let logger: Logger
    private var memberships: QueueMemberships
    private var held: QueueHeldEvents
    /// The held events that are about to be delivered, by thread; later ones wait behind them.
    private var releasing: [ThreadID: [ForeignEvent]] = [:]
    private var settled: [() -> Void] = []
    private var isRetrying = false
    var receiver: (BusSignal) -> Void = { _ in }

    init(
        _ settings: QueueLayerSettings, _ queues: LayerQueues, hosts: RedisHosts, eventLoop: any EventLoop,
        clock: WallClock, metrics: (core: QueueLayerMetrics, bus: BusMetrics), logger: Logger
    ) {
        self.settings = settings
        self.queues = queues
        self.hosts = hosts
        self.eventLoop = eventLoop
        self.clock = clock
        self.metrics = metrics.core
        busMetrics = metrics.bus
        self.logger = logger
        codec = ChannelsCodec(hosts.settings.channels)
        let ring = hosts.layout.ring
        memberships = QueueMemberships(hosts: ring.count) { ring.host(of: $0.text) }
        held = QueueHeldEvents(began: clock.seconds, expiry: settings.expiry)
    }

    // MARK: Memberships

    func join(_ threads: [ThreadID]) {
        write(to: memberships.join(threads))
        for thread in threads {
            let events = held.take(LayerQueues.localName(of: thread), now: clock.seconds)
            guard !events.isEmpty else { continue }
            releasing[thread] = events
            eventLoop.assumeIsolated().scheduleTask(in: Self.heldDelay) { [weak self] in
                for event in self?.releasing.removeValue(forKey: thread) ?? [] {
                    self?.receiver(.foreign(event, thread))
                }
            }
        }
    }

    func leave(_ threads: [ThreadID]) { write(to: memberships.leave(threads)) }

    func renew() { write(to: memberships.renew()) }

    /// Leaves all groups.
    /// - Parameter completion: Called after the changes are written.
    func leaveAll(_ completion: @escaping () -> Void) {
        let hosts = memberships.leaveAll()
        guard !memberships.isSettled else { return completion() }
        settled.append(completion)
        write(to: hosts)
    }

    private func write(to hosts: Set<Int>) {
        for host in hosts { write(to: host) }
    }

    private func write(to host: Int) {
        let changes = memberships.take(for: host, atMost: Self.batch)
        guard !changes.isEmpty else { return }
        let names = hosts.layout.names
        var command = RedisScripts.queueMembers.command(
            keys: changes.map { names.layerGroup($0.thread.text) }, arguments: 2 + changes.count,
            capacity: 256 * (changes.count + 1))
        let head = settings.groupExpiry - settings.membershipSeconds
        command.append(String(Double(clock.milliseconds) / 1000 - Double(head)))
        command.append(settings.groupExpiry)
        for change in changes {
            command.append((change.isMember ? "+" : "-") + queues.member(of: change.thread, on: host))
        }
        let inbox = NIOLoopBound(self, eventLoop: eventLoop)
        hosts.commands[host].send(command) { result in
            inbox.eventLoop.execute { inbox.value.wrote(changes, to: host, result) }
        }
    }

    private func wrote(_ changes: [QueueMemberships.Change], to host: Int, _ result: Result<RESPValue, RedisError>) {
        if case .success(.integer) = result {
            memberships.wrote(changes, to: host, isAccepted: true)
            write(to: host)
            if memberships.isSettled {
                let completions = settled
                settled = []
                for completion in completions { completion() }
            }
            return
        }
        if case .success(.error(let text)) = result {
            if text.hasPrefix("NOSCRIPT") {
                hosts.commands[host].loadScripts()
            } else {
                logger.warning("Redis refuses memberships in groups", metadata: ["error": "\(text)"])
            }
        }
        memberships.wrote(changes, to: host, isAccepted: false)
        guard !isRetrying else { return }
        isRetrying = true
        eventLoop.assumeIsolated().scheduleTask(in: Self.retryDelay) { [weak self] in
            guard let self else { return }
            isRetrying = false
            write(to: Set(0..<hosts.commands.count))
        }
    }

    // MARK: Receiving

    func received(_ entries: [QueueEntry]) {
        for entry in entries { received(entry) }
    }

    private func deliver(_ event: ForeignEvent, in thread: ThreadID) {
        guard let waiting = releasing[thread], waiting.count < Self.releasingLimit else {
            return receiver(.foreign(event, thread))
        }
        releasing[thread]?.append(event)
    }

    private func received(_ entry: QueueEntry) {
        metrics.received.increment()
        do throws(ChannelsCodecError) {
            guard entry.member.count <= hosts.settings.payloadBytes else { throw .tooLarge }
            let now = clock.seconds
            let member = try QueueMember(entry.member, codec, now: now, expiry: settings.expiry)
            guard !SignalPayload.isOurs(member.event) else { return }
            busMetrics.foreign.increment()
            let event = try ForeignPayload.event(
                member.event, adopting: hosts.settings.channels.adoptedTypes, sent: entry.microseconds)
            for channel in member.channels {
                let local = LayerQueues.localName(in: channel)
                if let thread = memberships[local: local] {
                    deliver(event, in: thread)
                } else if !held.hold(event, local: String(local), sent: entry.seconds, now: now) {
                    metrics.unwanted.increment()
                }
            }
        } catch .notForClients {
            busMetrics.foreignDropped.increment()
        } catch {
            busMetrics.poison.increment()
            logger.warning(
                "invalid event in a queue of this node",
                metadata: ["error": "\(error)", "bytes": "\(entry.member.count)"])
        }
    }
}
