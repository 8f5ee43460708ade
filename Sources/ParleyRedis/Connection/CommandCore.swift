import Logging
import NIOCore

/// The state of a `CommandConnection` on its event loop.
final class CommandCore: RedisLinkOwner {
    /// A command without a reply.
    private struct Unanswered {
        /// `nil` for a command of the connection itself.
        var completion: CommandConnection.Completion?
        /// The connection's own `INFO replication`; otherwise its own command is a PING.
        var asksIncarnation = false
        /// The time of the write; set for the first command of each write.
        var written: NIODeadline?
    }

    private let link: RedisLink
    private let metrics: CommandMetrics
    private let readyChanged: (Bool) -> Void
    private let incarnation: SharedIncarnation?
    /// In the order of the commands.
    private var unanswered = CircularBuffer<Unanswered>()

    init(
        _ address: RedisAddress, eventLoop: any EventLoop, settings: RedisLinkSettings, scripts: [String],
        logger: Logger, metrics: CommandMetrics, incarnation: SharedIncarnation?,
        linkMetrics: @escaping () -> LinkMetrics, readyChanged: @escaping (Bool) -> Void
    ) {
        self.metrics = metrics
        self.readyChanged = readyChanged
        self.incarnation = incarnation
        link = RedisLink(
            address, eventLoop: eventLoop, settings: settings, scripts: scripts, logger: logger, metrics: linkMetrics)
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
            for request in requests { request.completion(.failure(.notConnected(link.reason))) }
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
            unanswered.append(Unanswered(completion: request.completion, written: count == 0 ? now : nil))
            count += 1
        }
        if count > 0 {
            link.write(bytes)
            link.flush()
            metrics.sent(count)
        }
        for request in others { request.completion(.failure(.notConnected("Redis was restarted"))) }
    }

    /// Asks for the incarnation before any other command is sent.
    func linkBecameReady() {
        readyChanged(true)
        guard incarnation != nil else { return }
        link.write(RESPCommand("INFO", "replication").bytes)
        link.flush()
        unanswered.append(Unanswered(asksIncarnation: true))
    }

    /// Takes in the reply to `INFO replication`.
    /// - Returns: the incarnation of the connected server; `nil` without a connection.
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
        for command in failed { command.completion?(.failure(.lost)) }
    }

    func linkReceived(_ reply: RESPValue) {
        guard let command = unanswered.popFirst() else { return }
        if let written = command.written {
            metrics.answered(nanoseconds: (NIODeadline.now() - written).nanoseconds)
        }
        if command.asksIncarnation { learn(reply) }
        command.completion?(.success(reply))
    }

    func linkWantsPing() {
        link.write(RESPCommand("PING").bytes)
        link.flush()
        unanswered.append(Unanswered())
    }
}
