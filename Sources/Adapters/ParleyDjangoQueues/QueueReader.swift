import CoreMetrics
import Logging
import NIOCore
import ParleyRedisClient
import Synchronization

/// An element of a queue, as in a reply of Redis.
struct QueueEntry: Sendable {
    let member: [UInt8]
    /// The time of sending in Unix seconds, by the clock of the sending process. All entries that one `group_send` puts
    /// into the queues of one host have the same time.
    let score: Double

    var seconds: Int64 { Int64(exactly: score.rounded(.down)) ?? 0 }
    var microseconds: Int64 { Int64(exactly: (score * 1_000_000).rounded()) ?? 0 }
}

/// Reads the queues of a node on one host, on a connection of its own.
///
/// One BZPOPMIN at a time waits for all of them. The events behind the first one of a queue are taken at once, so that
/// the queue does not fill up.
final class QueueReader: Sendable {
    /// The time for which Redis holds a BZPOPMIN, in seconds. Much shorter than the silence after which a connection
    /// counts as lost, because Redis replies to no PING during this time.
    private static let blockSeconds = 1
    /// The number of events to take at once.
    private static let batch = 100
    /// The pause after a command that failed.
    private static let retryDelay = TimeAmount.milliseconds(200)

    private let connection: CommandConnection
    private let queues: [String]
    private let logger: Logger
    private let received: @Sendable ([QueueEntry]) -> Void
    private let state = Mutex((isStopped: false, isRefused: false))

    /// - Parameters:
    ///   - queues: The keys of the queues.
    ///   - received: Called on the connection's event loop, in order.
    init(
        _ address: RedisAddress, queues: [String], eventLoop: any EventLoop, settings: RedisLinkSettings,
        transport: any RedisTransport, logger: Logger, received: @escaping @Sendable ([QueueEntry]) -> Void
    ) {
        self.queues = queues
        self.logger = logger
        self.received = received
        var logger = logger
        logger[metadataKey: "link"] = "queues"
        // The connection has no metrics: the time to a reply would only show how long the command has waited.
        connection = CommandConnection(
            address, eventLoop: eventLoop, settings: settings, transport: transport, scripts: [], logger: logger,
            metrics: NOOPMetricsHandler.instance)
    }

    func start() {
        guard !queues.isEmpty else { return }
        connection.start()
        ask()
    }

    func stop() async {
        state.withLock { $0.isStopped = true }
        await connection.stop()
    }

    private func ask() {
        var command = RESPCommand(count: queues.count + 2, capacity: 64 * queues.count + 64)
        command.append("BZPOPMIN")
        for queue in queues { command.append(queue) }
        command.append(Self.blockSeconds)
        connection.send(command) { self.popped($0) }
    }

    private func popped(_ reply: Result<RESPValue, RedisError>) {
        guard !state.withLock({ $0.isStopped }) else { return }
        switch reply {
        case .success(.array(let parts)) where parts.count == 3:
            pass(Array(parts[1...]))
            if let queue = parts[0].text {
                connection.send(RESPCommand("ZPOPMIN", queue, "\(Self.batch)")) { reply in
                    if case .success(.array(let entries)) = reply { self.pass(entries) }
                }
            }
            ask()
        case .success(.error(let text)):
            note(refusal: text)
            connection.eventLoop.scheduleTask(in: Self.retryDelay) { self.ask() }
        case .success:
            note(refusal: nil)
            ask()
        case .failure:
            connection.eventLoop.scheduleTask(in: Self.retryDelay) { self.ask() }
        }
    }

    /// Passes entries to `received`.
    /// - Parameter entries: Alternating members and scores.
    private func pass(_ entries: [RESPValue]) {
        let events = stride(from: 0, to: entries.count - 1, by: 2).compactMap { index in
            entries[index].bytes.map {
                QueueEntry(member: $0, score: entries[index + 1].text.flatMap(Double.init) ?? 0)
            }
        }
        if !events.isEmpty { received(events) }
    }

    /// Logs a refusal once.
    private func note(refusal: String?) {
        let isNews = state.withLock { state in
            defer { state.isRefused = refusal != nil }
            return refusal != nil && !state.isRefused
        }
        if let refusal, isNews {
            logger.error("Redis refuses to read events of Django", metadata: ["error": "\(refusal)"])
        }
    }
}
