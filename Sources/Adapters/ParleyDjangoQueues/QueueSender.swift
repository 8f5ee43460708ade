import Logging
import Metrics
import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyRedisClient
import Synchronization

/// Sends the messages of the log to the queues of Django's consumers; see decision 040.
///
/// Duties:
/// - Starts a thread's turn when this node appends a message to it, and ends the turn at the end of the log.
/// - Takes over threads whose node has died, every second.
///
/// A lock protects the turns; it is held for steps only.
final class QueueSender: Sendable {
    private struct State {
        var turns = QueueTurns()
        /// The time since which each unresponsive host has not answered.
        var downSince: [Int: ContinuousClock.Instant] = [:]
    }

    /// The maximum time to a reply.
    private static let replyTime = Duration.seconds(5)
    /// The time to wait for a host that does not answer. After that the host misses messages, so that others receive them.
    private static let replyTimeout = Duration.seconds(5)
    private static let retryPause = Duration.milliseconds(200)
    private static let sweepPause = Duration.seconds(1)
    /// The time for which a thread may be overdue before any node takes it, in milliseconds.
    private static let overdue = 1000
    /// The maximum number of threads in one sweep of a host.
    private static let sweepLimit = 256

    private let hosts: RedisHosts
    private let settings: QueueLayerSettings
    private let eventCodec: EventCodec
    private let encoder: QueueEncoder
    private let clock: WallClock
    private let metrics: QueueLayerMetrics
    private let logger: Logger
    private let state = Mutex(State())
    /// Bounded by `QueueTurns`.
    private let begun = AsyncStream.makeStream(of: ThreadID.self, bufferingPolicy: .unbounded)

    init(
        _ settings: QueueLayerSettings, hosts: RedisHosts, clock: WallClock, metrics: QueueLayerMetrics, logger: Logger
    ) {
        self.settings = settings
        self.hosts = hosts
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
        eventCodec = EventCodec(hosts.settings.channels)
        encoder = QueueEncoder(
            names: hosts.layout.names, settings: hosts.settings.channels, expiry: settings.expiry)
    }

    /// Records that a message was appended to a thread. May be called from an event loop.
    func appended(_ thread: ThreadID) {
        if state.withLock({ $0.turns.wants(thread) }) { begun.continuation.yield(thread) }
    }

    /// Runs until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.sweep() }
            for await thread in begun.stream {
                group.addTask { await self.turn(thread) }
            }
        }
    }

    private func turn(_ thread: ThreadID) async {
        do throws(RedisError) {
            var batch = try await take(thread)
            while let current = batch {
                try await send(current)
                batch = try await commit(current)
            }
        } catch {
            // The thread stays due; a sweep takes it.
            logger.debug("messages for Django wait", metadata: ["thread": "\(thread)", "reason": "\(error)"])
        }
        if let next = state.withLock({ $0.turns.ended(thread) }) { begun.continuation.yield(next) }
    }

    /// Begins the turns of threads that other nodes have not finished.
    private func sweep() async {
        while (try? await Task.sleep(for: Self.sweepPause)) != nil {
            for connection in hosts.commands {
                var command = RedisScripts.queueOverdue.command(keys: [names.queueDue], arguments: 2)
                command.append(Self.overdue)
                command.append(Self.sweepLimit)
                guard let reply = try? await connection.send(command, within: Self.replyTime) else { continue }
                for thread in reply.elements?.compactMap(\.text) ?? [] {
                    if let thread = ThreadID(thread) { appended(thread) }
                }
            }
        }
    }

    // MARK: Redis

    private var names: ChannelNames { hosts.layout.names }

    private func take(_ thread: ThreadID) async throws(RedisError) -> QueueBatch? {
        try await batch(RedisScripts.queueTake, thread, "0")
    }

    private func commit(_ batch: QueueBatch) async throws(RedisError) -> QueueBatch? {
        try await self.batch(RedisScripts.queueCommit, batch.thread, "\(batch.last)")
    }

    private func batch(
        _ script: RedisScript, _ thread: ThreadID, _ argument: String
    ) async throws(RedisError) -> QueueBatch? {
        let keys = [names.queueDue, names.queueFrom, names.log(of: thread)]
        var command = script.command(keys: keys, arguments: 2)
        command.append(thread.text)
        command.append(argument)
        let reply = try await hosts.commands[hosts.layout.host(of: thread)].send(command, within: Self.replyTime)
        guard let batch = QueueBatch(reply, of: thread, eventCodec, expiry: settings.expiry) else { return nil }
        if batch.missed > 0 {
            metrics.missed.increment(by: batch.missed)
            logger.warning(
                "Django has missed messages", metadata: ["thread": "\(thread)", "messages": "\(batch.missed)"])
        }
        return batch
    }

    private func send(_ batch: QueueBatch) async throws(RedisError) {
        guard !batch.messages.isEmpty else { return }
        let group = hosts.layout.ring.host(of: batch.thread.text)
        let members = try await persist(on: group) { () throws(RedisError) in
            try await self.members(of: batch.thread)
        }
        guard let members else { return missed(batch.messages.count, batch.thread, host: group) }
        let receivers = QueueReceivers(
            members: members, names: names, ring: hosts.layout.ring, capacities: settings.capacities)
        let failure = await withTaskGroup(of: RedisError?.self) { tasks in
            for (host, queues) in receivers.queues {
                tasks.addTask {
                    do throws(RedisError) {
                        try await self.send(batch, to: queues, on: host)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await tasks.reduce(nil) { $0 ?? $1 }
        }
        if let failure { throw failure }
    }

    /// Returns the members of a thread's group, after removing the expired ones as channels_redis does.
    private func members(of thread: ThreadID) async throws(RedisError) -> [String] {
        let connection = hosts.commands[hosts.layout.ring.host(of: thread.text)]
        let group = names.layerGroup(thread.text)
        let oldest = "\(clock.seconds - settings.groupExpiry)"
        async let removal = connection.send(RESPCommand("ZREMRANGEBYSCORE", group, "0", oldest), within: Self.replyTime)
        let members = try await connection.send(RESPCommand("ZRANGE", group, "0", "-1"), within: Self.replyTime)
        _ = try? await removal
        return members.elements?.compactMap(\.text) ?? []
    }

    private func send(
        _ batch: QueueBatch, to queues: [QueueReceivers.Queue], on host: Int
    ) async throws(RedisError) {
        var rest = batch.messages[...]
        while !rest.isEmpty {
            let next: (command: RESPCommand, count: Int)
            do throws(ChannelsCodecError) {
                next = try encoder.command(rest, of: batch.thread, to: queues, seconds: clock.seconds)
            } catch {
                return missed(rest.count, batch.thread, host: host)
            }
            let reply = try await persist(on: host) { () throws(RedisError) in
                try await self.hosts.commands[host].send(next.command, within: Self.replyTime)
            }
            guard let counts = reply?.elements?.compactMap(\.number), counts.count == 3 else {
                return missed(rest.count, batch.thread, host: host)
            }
            metrics.sent.increment(by: counts[0])
            metrics.overCapacity.increment(by: counts[1])
            metrics.missed.increment(by: counts[2])
            rest = rest.dropFirst(next.count)
        }
    }

    /// Repeats a request until it has a reply; `nil` if the host does not answer for longer than `replyTimeout`.
    /// - Throws: When the task is cancelled; other nodes then send the remaining messages.
    private func persist<Reply: Sendable>(
        on host: Int, _ request: () async throws(RedisError) -> Reply
    ) async throws(RedisError) -> Reply? {
        while true {
            do throws(RedisError) {
                let reply = try await request()
                state.withLock { $0.downSince[host] = nil }
                return reply
            } catch {
                let now = ContinuousClock.now
                let since = state.withLock { state in
                    let since = state.downSince[host] ?? now
                    state.downSince[host] = since
                    return since
                }
                guard now - since < Self.replyTimeout else { return nil }
                guard (try? await Task.sleep(for: Self.retryPause)) != nil else { throw error }
            }
        }
    }

    private func missed(_ count: Int, _ thread: ThreadID, host: Int) {
        metrics.missed.increment(by: count)
        logger.warning(
            "Django misses messages: a Redis host does not take them",
            metadata: [
                "thread": "\(thread)", "messages": "\(count)", "redis": "\(hosts.settings.addresses[host])",
            ])
    }
}
