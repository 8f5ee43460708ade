import NIOCore

/// Sends commands on a connection of its own, which is closed after the replies. Used on one event loop.
final class OneShotConnection {
    private let commands: [RESPCommand]
    private let promise: EventLoopPromise<[RESPValue]>
    private var replies: [RESPValue] = []
    private var isOver = false
    private var channel: (any Channel)?

    private init(_ commands: [RESPCommand], _ promise: EventLoopPromise<[RESPValue]>) {
        self.commands = commands
        self.promise = promise
    }

    /// - Parameter limit: the maximum duration, including connecting.
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
        let handler = RESPHandler(
            reader,
            RESPHandler.Callbacks(
                answered: { request.answered($0) }, parseFailed: { request.finish(.failure(.unexpected("\($0)"))) },
                ended: { request.finish(.failure(.notConnected($0))) }))
        connector.open(endpoint, handler).assumeIsolated().whenComplete { result in
            switch result {
            case .success(let channel): request.connected(channel)
            case .failure(let error): request.finish(.failure(.notConnected("\(error)")))
            }
        }
        let timeout = eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) {
            request.finish(.failure(.late))
        }
        promise.futureResult.assumeIsolated().whenComplete { _ in timeout.cancel() }
        return promise.futureResult
    }

    private func connected(_ channel: any Channel) {
        guard !isOver else { return channel.close(promise: nil) }
        self.channel = channel
        for command in commands { channel.write(command.bytes, promise: nil) }
        channel.flush()
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
        channel?.close(promise: nil)
    }
}
