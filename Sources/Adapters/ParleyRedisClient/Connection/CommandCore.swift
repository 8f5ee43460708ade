import Logging
import NIOCore
import Synchronization

/// The state of a `CommandConnection` on its event loop.
final class CommandCore: RedisLinkOwner {
    /// A command without a reply.
    private struct Unanswered {
        /// `nil` for a command of the connection itself.
        var request: CommandRequest?
        /// The connection's own `INFO replication`; otherwise its own command is a PING.
        var asksIncarnation = false
        /// The time of the write; set for the first command of each write.
        var written: NIODeadline?
    }

    private let link: RedisLink
    private let metrics: CommandMetrics
    private let load: CommandLoad
    private let readyChanged: (Bool) -> Void
    private let incarnation: SharedIncarnation?
    /// The commands without a reply, in the order of sending.
    private var unanswered = CircularBuffer<Unanswered>()

    init(
        _ address: RedisAddress, eventLoop: any EventLoop, settings: RedisLinkSettings,
        transport: any RedisTransport, scripts: [String], logger: Logger, metrics: CommandMetrics,
        load: CommandLoad, incarnation: SharedIncarnation?, linkMetrics: @escaping () -> LinkMetrics,
        readyChanged: @escaping (Bool) -> Void
    ) {
        self.metrics = metrics
        self.load = load
        self.readyChanged = readyChanged
        self.incarnation = incarnation
        link = RedisLink(
            address, eventLoop: eventLoop, settings: settings, transport: transport, scripts: scripts, logger: logger,
            metrics: linkMetrics)
    }

    var serverID: String { link.isReady ? link.serverID : "" }

    func start() {
        link.owner = self
        link.start()
    }

    func stop() {
        link.stop()
    }

    func whenReady(within limit: Duration) -> EventLoopFuture<Void> { link.whenReady(within: limit) }

    /// Sends all requests in one write. Requests for another server, or without a connection, fail.
    func send(_ requests: [CommandRequest]) {
        guard link.isReady else {
            metrics.wasRefused(requests.count)
            for request in requests { finish(request, .failure(.notConnected(link.reason))) }
            return
        }
        let now = NIODeadline.now()
        var bytes = ByteBuffer()
        bytes.reserveCapacity(requests.reduce(0) { $0 + $1.command.bytes.readableBytes })
        var others: [CommandRequest] = []
        var count = 0
        for request in requests {
            guard request.server == nil || request.server == link.serverID || request.server == incarnation?.server
            else {
                others.append(request)
                continue
            }
            bytes.writeImmutableBuffer(request.command.bytes)
            unanswered.append(Unanswered(request: request, written: count == 0 ? now : nil))
            count += 1
        }
        if count > 0 {
            link.write(bytes)
            link.flush()
            metrics.sent(count)
        }
        for request in others { finish(request, .failure(.notConnected("Redis was restarted"))) }
    }

    private func finish(_ request: CommandRequest, _ result: Result<RESPValue, RedisError>) {
        load.commands.wrappingSubtract(1, ordering: .relaxed)
        load.bytes.wrappingSubtract(request.command.bytes.readableBytes, ordering: .relaxed)
        request.completion(result)
    }

    /// Asks for the incarnation before any other command is sent.
    func linkBecameReady() {
        readyChanged(true)
        guard incarnation != nil else { return }
        link.write(RESPCommand("INFO", "replication").bytes)
        link.flush()
        unanswered.append(Unanswered(asksIncarnation: true))
    }

    /// Processes the reply to `INFO replication`.
    /// - Returns: The incarnation of the connected server; `nil` without a connection.
    @discardableResult
    func learn(_ reply: RESPValue) -> ServerIncarnation? {
        guard let incarnation, link.isReady else { return nil }
        let known = ServerIncarnation(process: link.serverID, replication: ServerIncarnation.replicationID(reply))
        incarnation.value = known
        return known
    }

    func linkBecameLost(_ reason: String) {
        readyChanged(false)
        let failed = unanswered
        unanswered = []
        incarnation?.value = nil
        for command in failed {
            if let request = command.request { finish(request, .failure(.lost)) }
        }
    }

    func linkReceived(_ reply: RESPValue) {
        guard let command = unanswered.popFirst() else { return }
        if let written = command.written {
            metrics.answered(nanoseconds: (NIODeadline.now() - written).nanoseconds)
        }
        if command.asksIncarnation { learn(reply) }
        if let request = command.request { finish(request, .success(reply)) }
    }

    func linkWantsPing() {
        link.write(RESPCommand("PING").bytes)
        link.flush()
        unanswered.append(Unanswered())
    }
}
