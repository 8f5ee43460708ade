import NIOCore

/// Sends commands on a connection of its own, which is closed after the replies. Used on one event loop.
final class OneShotConnection {
    private let commands: [RESPCommand]
    private let promise: EventLoopPromise<[RESPValue]>
    private var replies: [RESPValue] = []
    private var isOver = false
    private var connection: (any RedisConnection)?

    private init(_ commands: [RESPCommand], _ promise: EventLoopPromise<[RESPValue]>) {
        self.commands = commands
        self.promise = promise
    }

    /// Sends commands on a new connection and returns their replies.
    /// - Parameter limit: The maximum duration, including connecting.
    static func query(
        _ endpoint: RedisEndpoint, _ commands: [RESPCommand], by connector: RedisConnector, limits: RESPLimits,
        within limit: Duration, on eventLoop: any EventLoop
    ) -> EventLoopFuture<[RESPValue]> {
        let promise = eventLoop.makePromise(of: [RESPValue].self)
        guard let reader = RESPReader(limits) else {
            promise.fail(RedisError.overloaded)
            return promise.futureResult
        }
        let request = OneShotConnection(commands, promise)
        let receiver = ReplyReceiver(
            reader,
            ReplyReceiver.Callbacks(
                opened: { request.connected($0) }, answered: { request.answered($0) },
                parseFailed: { request.finish(.failure(.unexpected("\($0)"))) },
                ended: { request.finish(.failure(.notConnected($0))) }))
        connector.open(endpoint, receiver)
        let timeout = eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) {
            request.finish(.failure(.late))
        }
        promise.futureResult.assumeIsolated().whenComplete { _ in timeout.cancel() }
        return promise.futureResult
    }

    private func connected(_ connection: any RedisConnection) {
        guard !isOver else { return connection.close() }
        self.connection = connection
        for command in commands { connection.write(command.bytes) }
        connection.flush()
    }

    private func answered(_ reply: RESPValue) {
        replies.append(reply)
        if replies.count == commands.count { finish(.success(replies)) }
    }

    private func finish(_ result: Result<[RESPValue], RedisError>) {
        guard !isOver else { return }
        isOver = true
        switch result {
        case .success(let replies): promise.succeed(replies)
        case .failure(let error): promise.fail(error)
        }
        connection?.close()
    }
}
