package import CoreMetrics
package import Logging
package import NIOCore
import Synchronization

/// A connection for commands, pipelined: what comes within one turn of the event loop goes out in one write.
///
/// Used from any thread. Answers come in the order of the commands, on the event loop. Bounded: above
/// `RedisLinkSettings.commands` or `commandBytes` without an answer, commands are refused.
package final class CommandConnection: Sendable {
    package typealias Completion = @Sendable (Result<RESPValue, RedisError>) -> Void

    private struct Outbox {
        var requests: [CommandRequest] = []
        /// Requests without an answer, those above included, and the bytes of them.
        var unanswered = 0
        var unansweredBytes = 0
        var isLoadingScripts = false
    }

    package let eventLoop: any EventLoop
    private let settings: RedisLinkSettings
    private let scripts: [String]
    private let metrics: CommandMetrics
    private let outbox = Mutex(Outbox())
    private let core: NIOLoopBoundBox<CommandCore>

    /// - Parameter scripts: loaded each time the connection is made, before anything else is sent.
    package init(
        _ address: RedisAddress, eventLoop: any EventLoop, settings: RedisLinkSettings, scripts: [String],
        logger: Logger, metrics factory: any MetricsFactory
    ) {
        self.eventLoop = eventLoop
        self.settings = settings
        self.scripts = scripts
        metrics = CommandMetrics(host: address.label, factory: factory)
        let core = CommandCore(
            address, eventLoop: eventLoop, settings: settings, scripts: scripts, logger: logger, metrics: metrics,
            linkMetrics: { LinkMetrics(host: address.label, link: "command", factory: factory) })
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

    // MARK: Sending

    /// Sends a command; never blocks, and never calls `completion` itself.
    /// - Parameter server: the id of the only process that may be asked, if not any.
    package func send(_ command: RESPCommand, server: String? = nil, _ completion: @escaping Completion) {
        let size = command.bytes.readableBytes
        let (isAccepted, isFirst) = outbox.withLock { outbox in
            guard outbox.unanswered < settings.commands, outbox.unansweredBytes + size <= settings.commandBytes else {
                return (false, false)
            }
            outbox.unanswered += 1
            outbox.unansweredBytes += size
            outbox.requests.append(CommandRequest(command: command, server: server, completion: completion))
            return (true, outbox.requests.count == 1)
        }
        guard isAccepted else {
            metrics.wasRefused()
            return eventLoop.execute { completion(.failure(.overloaded)) }
        }
        if isFirst { eventLoop.execute { self.drain() } }
    }

    /// Sends a command and waits for its answer, which is no error. If Redis has forgotten the scripts they are loaded.
    /// - Parameter server: the id of the only process that may be asked, if not any.
    package func send(_ command: RESPCommand, server: String? = nil) async throws(RedisError) -> RESPValue {
        var reply = try await reply(to: command, server: server)
        if case .error(let text) = reply, text.hasPrefix("NOSCRIPT") {
            loadScripts()
            reply = try await self.reply(to: command, server: server)
        }
        if case .error(let text) = reply { throw .refused(text) }
        return reply
    }

    /// As `send`, but for no longer than `limit`: then it throws `late`, and Redis may still do it.
    package func send(
        _ command: RESPCommand, server: String? = nil, within limit: Duration
    ) async throws(RedisError) -> RESPValue {
        var reply = try await reply(to: command, server: server, within: limit)
        if case .error(let text) = reply, text.hasPrefix("NOSCRIPT") {
            loadScripts()
            reply = try await self.reply(to: command, server: server, within: limit)
        }
        if case .error(let text) = reply { throw .refused(text) }
        return reply
    }

    private func reply(to command: RESPCommand, server: String?) async throws(RedisError) -> RESPValue {
        let result = await withCheckedContinuation { continuation in
            send(command, server: server) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    private func reply(
        to command: RESPCommand, server: String? = nil, within limit: Duration
    ) async throws(RedisError) -> RESPValue {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<RESPValue, RedisError>, Never>) in
            // Whoever comes first, answer or time, takes the continuation.
            let waiting = Once(continuation)
            let timeout = eventLoop.scheduleTask(in: TimeAmount(limit)) {
                waiting.take()?.resume(returning: .failure(.late))
            }
            send(command, server: server) { result in
                timeout.cancel()
                waiting.take()?.resume(returning: result)
            }
        }
        return try result.get()
    }

    /// Loads the scripts, before whatever is sent from now on.
    package func loadScripts() {
        let isLoading = outbox.withLock { outbox in
            defer { outbox.isLoadingScripts = true }
            return outbox.isLoadingScripts
        }
        // Many commands find at the same time that the scripts are gone; those of the first are on their way already.
        guard !isLoading else { return }
        for script in scripts.dropLast() { send(RESPCommand("SCRIPT", "LOAD", script)) { _ in } }
        send(RESPCommand("SCRIPT", "LOAD", scripts.last ?? "")) { _ in
            self.outbox.withLock { $0.isLoadingScripts = false }
        }
    }

    /// The id of the server's process that is connected; empty if there is none or it may not be known.
    package func serverID() async -> String {
        (try? await eventLoop.submit { self.core.value.serverID }.get()) ?? ""
    }

    /// Asks whether Redis answers.
    package func check(within limit: Duration) async throws(RedisError) {
        let reply = try await reply(to: RESPCommand("PING"), within: limit)
        if case .error(let text) = reply { throw .refused(text) }
    }

    private func drain() {
        let requests = outbox.withLock { outbox in
            defer { outbox.requests = [] }
            return outbox.requests
        }
        core.value.send(
            requests.map { request in
                let size = request.command.bytes.readableBytes
                var counted = request
                counted.completion = { result in
                    self.outbox.withLock { outbox in
                        outbox.unanswered -= 1
                        outbox.unansweredBytes -= size
                    }
                    request.completion(result)
                }
                return counted
            })
    }
}
