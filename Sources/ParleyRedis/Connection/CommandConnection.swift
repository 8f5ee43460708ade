package import Logging
package import NIOCore
import Synchronization

/// A connection for commands, pipelined: what comes within one turn of the event loop goes out in one write.
///
/// Used from any thread. Answers come in the order of the commands, on the event loop. Bounded: above
/// `RedisLinkSettings.commands` without an answer, commands are refused.
package final class CommandConnection: Sendable {
    package typealias Completion = @Sendable (Result<RESPValue, RedisError>) -> Void

    fileprivate struct Request {
        let command: RESPCommand
        let completion: Completion
    }

    fileprivate struct Outbox {
        var requests: [Request] = []
        /// Requests without an answer, those above included.
        var unanswered = 0
    }

    package let eventLoop: any EventLoop
    private let limit: Int
    private let scripts: [String]
    private let outbox = Mutex(Outbox())
    private let core: NIOLoopBoundBox<CommandCore>

    /// - Parameter scripts: loaded each time the connection is made, before anything else is sent.
    package init(
        _ address: RedisAddress, eventLoop: any EventLoop, settings: RedisLinkSettings, scripts: [String],
        logger: Logger
    ) {
        self.eventLoop = eventLoop
        limit = settings.commands
        self.scripts = scripts
        let core = CommandCore(address, eventLoop: eventLoop, settings: settings, scripts: scripts, logger: logger)
        self.core = .makeBoxSendingValue(core, eventLoop: eventLoop)
    }

    package func start() {
        eventLoop.execute { self.core.value.start() }
    }

    /// Ends for good; what has no answer fails.
    package func stop() async {
        try? await eventLoop.submit { self.core.value.stop() }.get()
    }

    /// Waits until commands can be sent.
    package func waitUntilReady(within limit: Duration) async throws {
        try await eventLoop.flatSubmit { self.core.value.whenReady(within: limit) }.get()
    }

    /// Sends a command; never blocks, and never calls `completion` itself.
    package func send(_ command: RESPCommand, _ completion: @escaping Completion) {
        let (isAccepted, isFirst) = outbox.withLock { outbox in
            guard outbox.unanswered < limit else { return (false, false) }
            outbox.unanswered += 1
            outbox.requests.append(Request(command: command, completion: completion))
            return (true, outbox.requests.count == 1)
        }
        guard isAccepted else { return eventLoop.execute { completion(.failure(.overloaded)) } }
        if isFirst { eventLoop.execute { self.drain() } }
    }

    /// Sends a command and waits for its answer, which is no error. If Redis has forgotten the scripts they are loaded.
    package func send(_ command: RESPCommand) async throws(RedisError) -> RESPValue {
        var answer = try await answer(to: command)
        if case .error(let text) = answer, text.hasPrefix("NOSCRIPT") {
            loadScripts()
            answer = try await self.answer(to: command)
        }
        if case .error(let text) = answer { throw .refused(text) }
        return answer
    }

    /// Asks whether Redis answers.
    package func check(within limit: Duration) async throws(RedisError) {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<RESPValue, RedisError>, Never>) in
            // Whoever comes first, answer or time, takes the continuation.
            let waiting = Once(continuation)
            let timeout = eventLoop.scheduleTask(in: TimeAmount(limit)) {
                waiting.take()?.resume(returning: .failure(.late))
            }
            send(RESPCommand("PING")) { result in
                timeout.cancel()
                waiting.take()?.resume(returning: result)
            }
        }
        if case .error(let text) = try result.get() { throw .refused(text) }
    }

    /// Loads the scripts, before whatever is sent from now on.
    package func loadScripts() {
        for script in scripts { send(RESPCommand("SCRIPT", "LOAD", script)) { _ in } }
    }

    private func answer(to command: RESPCommand) async throws(RedisError) -> RESPValue {
        let result = await withCheckedContinuation { continuation in
            send(command) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    private func drain() {
        let requests = outbox.withLock { outbox in
            defer { outbox.requests = [] }
            return outbox.requests
        }
        core.value.send(
            requests.map { request in
                (
                    request.command,
                    { result in
                        self.outbox.withLock { $0.unanswered -= 1 }
                        request.completion(result)
                    }
                )
            })
    }
}

/// The part of a `CommandConnection` that lives on the event loop.
private final class CommandCore: RedisLinkOwner {
    private let link: RedisLink
    private let eventLoop: any EventLoop
    /// Of commands sent, in order; `nil` for our own PING.
    private var unanswered = CircularBuffer<CommandConnection.Completion?>()
    private var waiters: [EventLoopPromise<Void>] = []

    init(
        _ address: RedisAddress, eventLoop: any EventLoop, settings: RedisLinkSettings, scripts: [String],
        logger: Logger
    ) {
        self.eventLoop = eventLoop
        link = RedisLink(address, eventLoop: eventLoop, settings: settings, scripts: scripts, logger: logger)
    }

    func start() {
        link.owner = self
        link.start()
    }

    func stop() {
        link.stop()
        for waiter in waiters { waiter.fail(RedisError.notConnected("stopped")) }
        waiters = []
    }

    func whenReady(within limit: Duration) -> EventLoopFuture<Void> {
        if link.isReady { return eventLoop.makeSucceededVoidFuture() }
        let promise = eventLoop.makePromise(of: Void.self)
        waiters.append(promise)
        let timeout = eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) { [weak self] in
            promise.fail(RedisError.notConnected(self?.link.reason ?? "stopped"))
        }
        promise.futureResult.assumeIsolated().whenComplete { _ in timeout.cancel() }
        return promise.futureResult
    }

    func send(_ requests: [(RESPCommand, CommandConnection.Completion)]) {
        guard link.isReady else {
            for (_, completion) in requests { completion(.failure(.notConnected(link.reason))) }
            return
        }
        for (command, completion) in requests {
            link.write(command.bytes)
            unanswered.append(completion)
        }
        link.flush()
    }

    func linkBecameReady() {
        for waiter in waiters { waiter.succeed() }
        waiters = []
    }

    func linkBecameLost(_ reason: String) {
        let failed = unanswered
        unanswered = []
        for completion in failed { completion?(.failure(.lost)) }
    }

    func linkReceived(_ answer: RESPValue) {
        if let completion = unanswered.popFirst() { completion?(.success(answer)) }
    }

    func linkWantsPing() {
        link.write(RESPCommand("PING").bytes)
        link.flush()
        unanswered.append(nil)
    }
}
