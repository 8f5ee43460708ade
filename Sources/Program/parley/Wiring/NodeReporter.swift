import Foundation
import Logging
import ParleyFanOut
import ParleyGateway
import ParleyMetrics
import ParleyModel
import ParleyREST
import ServiceLifecycle
import Synchronization

/// Publishes the status of this node every two seconds, and replies to the requests of operators.
///
/// The status is derived from existing counters, so only `EventMeter` is on the path of a message. A lock protects the
/// last status and the counts that it was derived from.
final class NodeReporter: Service {
    private struct Counts {
        var date = ContinuousClock.now
        var cpuSeconds = 0.0
        var messagesIn = 0.0
        var deliveries = 0.0
        var stored = 0.0
        var requests = 0.0
        var requestSeconds = 0.0
    }

    private struct State {
        var status: NodeStatus
        var counts: Counts
        var history = NodeHistory()
    }

    /// The interval between two statuses.
    private static let pause = Duration.seconds(2)
    /// The interval at which requests are polled.
    private static let pollInterval = Duration.milliseconds(200)
    /// Maximum response time of Redis and the database.
    private static let timeout = Duration.seconds(1)

    private static let requestMetric = "parley_http_request_duration_seconds"

    private let backend: any LogBackend
    private let gateway: Gateway?
    private let stores: Bool
    /// The kinds of devices to which this process can send pushes.
    private let pushKinds: [PushAddress.Kind]
    private let registry: PrometheusRegistry
    private let clock: WallClock
    private let logger: Logger
    private let databaseProbe: ReadinessProbe<[String]>
    private let redisProbe: ReadinessProbe<[String]>
    private let drain: @Sendable () -> Void
    private let state: Mutex<State>

    /// - Parameter drain: starts the drain of this process.
    init(
        _ base: NodeBase, _ adapters: Adapters, _ gateway: Gateway?,
        drain: @escaping @Sendable () -> Void = { kill(getpid(), SIGTERM) }
    ) {
        let (database, backend) = (adapters.database, adapters.backend)
        self.backend = backend
        self.gateway = gateway
        stores = base.role.stores
        pushKinds = base.role.stores ? base.settings.push.kinds : []
        registry = base.registry
        clock = base.clock
        logger = base.logger
        databaseProbe = ReadinessProbe(limit: Self.timeout) {
            do { try await database.check() } catch { return ["\(error)"] }
            return []
        }
        redisProbe = ReadinessProbe(limit: Self.timeout) { await backend.problems() }
        self.drain = drain
        let now = clock.milliseconds
        let status = NodeStatus(
            instance: backend.nodes.instance, name: base.settings.gateway.node, role: base.role.rawValue,
            version: Version.text, started: now, date: now)
        state = Mutex(State(status: status, counts: Counts()))
    }

    /// The load of the last hour.
    private var history: [LoadSample] { state.withLock { $0.history.samples(at: clock.milliseconds) } }

    /// The status of the node, at most two seconds old.
    var status: NodeStatus { state.withLock { $0.status } }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.report() }
                // A single node replies to its own requests without the registry.
                if backend.isShared { group.addTask { await self.reply() } }
            }
        }
        await backend.nodes.leave()
    }

    // MARK: Status

    private func report() async {
        repeat {
            let status = await collect()
            do throws(SharedStoreError) {
                try await backend.nodes.put(status)
            } catch {
                // Redis is unavailable, which other components log; the next attempt follows soon.
                logger.debug("failed to publish the status of this node", metadata: ["error": "\(error)"])
            }
        } while (try? await Task.sleep(for: Self.pause)) != nil
    }

    private func collect() async -> NodeStatus {
        async let database = Self.status(of: databaseProbe)
        async let redis = backend.isShared ? Self.status(of: redisProbe) : nil
        let (databaseStatus, redisStatus) = await (database, redis)
        let usage = ProcessUsage.read()
        let counts = Counts(
            cpuSeconds: usage.cpuSeconds, messagesIn: total("parley_messages_in_total"),
            deliveries: total("parley_messages_out_total"),
            stored: total("parley_persister_events_total", with: "outcome=\"stored\""),
            requests: total(Self.requestMetric), requestSeconds: registry.sums(of: Self.requestMetric).reduce(0, +))
        return state.withLock { state in
            let before = state.counts
            let seconds = max(0.001, (counts.date - before.date) / .seconds(1))
            state.counts = counts
            var status = state.status
            status.date = clock.milliseconds
            status.cpu = (counts.cpuSeconds - before.cpuSeconds) / seconds
            status.residentBytes = usage.residentBytes
            status.messagesIn = (counts.messagesIn - before.messagesIn) / seconds
            status.deliveries = (counts.deliveries - before.deliveries) / seconds
            status.stored = (counts.stored - before.stored) / seconds
            status.database = databaseStatus
            status.redis = redisStatus
            if let gateway {
                let turn = gateway.meter.turn(seconds: seconds, limit: NodeStatus.maximumBusiest)
                status.isDraining = gateway.drains
                status.sockets = gateway.counts.sockets
                status.lines = gateway.counts.lines
                status.connections = gateway.counts.connections
                status.users = gateway.counts.users
                status.events = Double(turn.events) / seconds
                status.threads = gateway.fanOut.threadCount
                status.busiest = turn.busiest
            }
            if stores {
                status.pushes = pushes
                status.persister = PersisterStatus(
                    partitions: Int(total("parley_persister_partitions")),
                    lagEvents: Int64(total("parley_persister_lag_events")),
                    lagSeconds: registry.values(of: "parley_persister_lag_seconds").max() ?? 0)
            }
            state.status = status
            state.history.record(
                Self.load(
                    status, requests: (counts.requests - before.requests) / seconds,
                    requestSeconds: (counts.requestSeconds - before.requestSeconds) / seconds),
                at: status.date)
            return status
        }
    }

    /// - Parameters:
    ///   - requests: Requests per second.
    ///   - requestSeconds: The sum of their durations per second.
    private static func load(_ status: NodeStatus, requests: Double, requestSeconds: Double) -> LoadSample {
        var sample = LoadSample(start: 0)
        sample.connections = status.sockets + status.lines
        sample.messages = status.messagesIn
        sample.deliveries = status.deliveries
        sample.lagEvents = status.persister?.lagEvents ?? 0
        sample.lagSeconds = status.persister?.lagSeconds ?? 0
        sample.requests = requests
        sample.requestMilliseconds = requests > 0 ? requestSeconds / requests * 1000 : 0
        return sample
    }

    private var pushes: [PushAddress.Kind: [PushResult: Int]] {
        pushKinds.reduce(into: [:]) { pushes, kind in
            for result in PushResult.allCases {
                let labels = "kind=\"\(kind.rawValue)\",outcome=\"\(result.rawValue)\""
                pushes[kind, default: [:]][result] = Int(total("parley_pushes_total", with: labels))
            }
        }
    }

    private func total(_ name: String, with label: String? = nil) -> Double {
        registry.values(of: name, with: label).reduce(0, +)
    }

    private static func status(of probe: ReadinessProbe<[String]>) async -> LinkStatus {
        let start = ContinuousClock.now
        let reasons = await probe.reasons()
        return LinkStatus(
            problem: reasons.isEmpty ? nil : reasons.joined(separator: "; "),
            milliseconds: (ContinuousClock.now - start) / .milliseconds(1))
    }

    // MARK: Requests

    private func reply() async {
        repeat {
            let requests = (try? await backend.nodes.requests()) ?? []
            for request in requests {
                let reply = await reply(to: request)
                // If it fails, the operator sees that this node does not reply.
                try? await backend.nodes.reply(reply)
            }
        } while (try? await Task.sleep(for: Self.pollInterval)) != nil
    }

    /// Performs a request and returns the reply.
    func reply(to request: NodeRequest) async -> NodeReply {
        var reply = NodeReply(request: request.id, instance: backend.nodes.instance)
        switch request.content {
        case .socketsOfUser(let user, let threads):
            if let gateway { (reply.sockets, reply.count) = await gateway.sockets(of: user, in: threads) }
        case .socketsInThread(let thread):
            if let gateway { (reply.sockets, reply.count, reply.follows) = await gateway.sockets(in: thread) }
        case .closeSockets(let user):
            if let gateway { reply.count = await gateway.closeSockets(of: user) }
        case .history: reply.history = history
        case .drain:
            logger.notice("an operator drains this node")
            drain()
            reply.count = 1
        }
        return reply
    }
}
