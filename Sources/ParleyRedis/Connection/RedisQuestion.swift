import NIOCore

/// Commands on a connection of their own, which is closed when they are answered. On one event loop.
final class RedisQuestion {
    private let commands: [RESPCommand]
    private let promise: EventLoopPromise<[RESPValue]>
    private var answers: [RESPValue] = []
    private var isOver = false
    private var channel: (any Channel)?

    private init(_ commands: [RESPCommand], _ promise: EventLoopPromise<[RESPValue]>) {
        self.commands = commands
        self.promise = promise
    }

    /// - Parameter limit: for all of it, connecting too.
    static func ask(
        _ endpoint: RedisEndpoint, _ commands: [RESPCommand], by dial: RedisDial, limits: RESPLimits,
        within limit: Duration, on eventLoop: any EventLoop
    ) -> EventLoopFuture<[RESPValue]> {
        let promise = eventLoop.makePromise(of: [RESPValue].self)
        guard let reader = RESPReader(limits) else {
            promise.fail(RedisError.overloaded)
            return promise.futureResult
        }
        let question = RedisQuestion(commands, promise)
        let handler = RESPHandler(
            reader,
            RESPHandler.Ears(
                answered: { question.answered($0) }, misunderstood: { question.finish(.failure(.unexpected("\($0)"))) },
                ended: { question.finish(.failure(.notConnected($0))) }))
        dial.open(endpoint, handler).assumeIsolated().whenComplete { result in
            switch result {
            case .success(let channel): question.connected(channel)
            case .failure(let error): question.finish(.failure(.notConnected("\(error)")))
            }
        }
        let timeout = eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) {
            question.finish(.failure(.late))
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

    private func answered(_ answer: RESPValue) {
        answers.append(answer)
        if answers.count == commands.count { finish(.success(answers)) }
    }

    private func finish(_ result: Result<[RESPValue], RedisError>) {
        guard !isOver else { return }
        isOver = true
        switch result {
        case .success(let answers): promise.succeed(answers)
        case .failure(let error): promise.fail(error)
        }
        channel?.close(promise: nil)
    }
}
