package import CoreMetrics
package import Logging
package import NIOCore
import Synchronization

/// A pipelined connection for commands: commands sent within one turn of the event loop share one write.
///
/// May be used from any thread. Replies arrive in the order of the commands, on the event loop. Bounded: commands above
/// `RedisLinkSettings.commands` or `commandBytes` without a reply are refused.
package final class CommandConnection: Sendable {
    package typealias Completion = @Sendable (Result<RESPValue, RedisError>) -> Void

    private struct Outbox {
        var requests: [CommandRequest] = []
        var isLoadingScripts = false
    }

    package let eventLoop: any EventLoop
    private let settings: RedisLinkSettings
    private let scripts: [String]
    private let metrics: CommandMetrics
    private let outbox = Mutex(Outbox())
    /// Raised under the lock of the outbox, lowered on the event loop.
    private let load: CommandLoad
    private let ready: HostFlags
    private let core: NIOLoopBoundBox<CommandCore>
    private let known = SharedIncarnation()

    /// - Parameter scripts: The scripts to load on each connect, before anything else is sent.
    package init(
        _ address: RedisAddress, eventLoop: any EventLoop, settings: RedisLinkSettings,
        transport: any RedisTransport, scripts: [String], logger: Logger, metrics factory: any MetricsFactory
    ) {
        self.eventLoop = eventLoop
        self.settings = settings
        self.scripts = scripts
        metrics = CommandMetrics(host: address.label, factory: factory)
        let ready = HostFlags(count: 1)
        self.ready = ready
        let load = CommandLoad()
        self.load = load
        let core = CommandCore(
            address, eventLoop: eventLoop, settings: settings, transport: transport, scripts: scripts, logger: logger,
            metrics: metrics, load: load, incarnation: scripts.isEmpty ? nil : known,
            linkMetrics: { LinkMetrics(host: address.label, link: "command", factory: factory) },
            readyChanged: { ready.set(0, $0) })
        self.core = .makeBoxSendingValue(core, eventLoop: eventLoop)
    }

    /// Whether commands can be sent, by the last known state of the connection.
    package var isReady: Bool { ready[0] }

    /// Connects, and reconnects until `stop`.
    package func start() {
        eventLoop.execute { self.core.value.start() }
    }

    /// Stops permanently; unanswered commands fail.
    package func stop() async {
        try? await eventLoop.submit { self.core.value.stop() }.get()
    }

    /// Waits until commands can be sent.
    package func waitUntilReady(within limit: Duration) async throws {
        try await eventLoop.flatSubmit { self.core.value.whenReady(within: limit) }.get()
    }

    // MARK: Sending

    /// Sends a command. Never blocks, and never calls `completion` directly.
    /// - Parameter server: The ID of the server process that must execute the command; `nil` for any.
    package func send(_ command: RESPCommand, server: String? = nil, _ completion: @escaping Completion) {
        let size = command.bytes.readableBytes
        let (isAccepted, isFirst) = outbox.withLock { outbox in
            guard load.commands.load(ordering: .relaxed) < settings.commands,
                load.bytes.load(ordering: .relaxed) + size <= settings.commandBytes
            else { return (false, false) }
            load.commands.wrappingAdd(1, ordering: .relaxed)
            load.bytes.wrappingAdd(size, ordering: .relaxed)
            outbox.requests.append(CommandRequest(command: command, server: server, completion: completion))
            return (true, outbox.requests.count == 1)
        }
        guard isAccepted else {
            metrics.wasRefused()
            return eventLoop.execute { completion(.failure(.overloaded)) }
        }
        if isFirst { eventLoop.execute { self.drain() } }
    }

    /// Sends a command and waits for its reply. If Redis does not know a script, the scripts are loaded and the command
    /// is sent again.
    /// - Parameter server: The ID of the server process that must execute the command; `nil` for any.
    /// - Throws: `refused` for an error reply.
    package func send(_ command: RESPCommand, server: String? = nil) async throws(RedisError) -> RESPValue {
        var reply = try await reply(to: command, server: server)
        if case .error(let text) = reply, text.hasPrefix("NOSCRIPT") {
            loadScripts()
            reply = try await self.reply(to: command, server: server)
        }
        if case .error(let text) = reply { throw .refused(text) }
        return reply
    }

    /// Sends a command as `send` does, but waits at most `limit` for each reply. Then throws `late`; Redis may still
    /// execute the command.
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
        let result = await withCheckedContinuation { continuation in
            send(command, server: server, within: limit) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Sends a command as above, but calls `completion` with `late` if there is no reply within `limit`; Redis may still
    /// execute the command.
    package func send(
        _ command: RESPCommand, server: String? = nil, within limit: Duration, _ completion: @escaping Completion
    ) {
        // The first of reply and timeout takes the completion.
        let waiting = Once(completion)
        let timeout = eventLoop.scheduleTask(in: TimeAmount(limit)) { waiting.take()?(.failure(.late)) }
        send(command, server: server) { result in
            timeout.cancel()
            waiting.take()?(result)
        }
    }

    /// Loads the scripts before everything that is sent later.
    package func loadScripts() {
        let isLoading = outbox.withLock { outbox in
            defer { outbox.isLoadingScripts = true }
            return outbox.isLoadingScripts
        }
        // Many commands fail at once because the scripts are missing; the first has requested the load already.
        guard !isLoading else { return }
        for script in scripts.dropLast() { send(RESPCommand("SCRIPT", "LOAD", script)) { _ in } }
        send(RESPCommand("SCRIPT", "LOAD", scripts.last ?? "")) { _ in
            self.outbox.withLock { $0.isLoadingScripts = false }
        }
    }

    /// Returns the ID of the connected server process; empty if disconnected or not permitted.
    package func serverID() async -> String {
        (try? await eventLoop.submit { self.core.value.serverID }.get()) ?? ""
    }

    /// The incarnation of the connected server, if it is known; a connection that loads scripts asks for it before it
    /// sends anything else.
    package var knownIncarnation: ServerIncarnation? { known.value }

    /// Asks the server for its incarnation: its replication ID may change while it is connected.
    package func incarnation() async throws(RedisError) -> ServerIncarnation {
        let reply = try await reply(to: RESPCommand("INFO", "replication"), server: nil)
        let incarnation = try? await eventLoop.submit { self.core.value.learn(reply) }.get()
        guard let incarnation else { throw .lost }
        return incarnation
    }

    /// Checks that Redis replies within `limit`.
    package func check(within limit: Duration) async throws(RedisError) {
        let reply = try await reply(to: RESPCommand("PING"), within: limit)
        if case .error(let text) = reply { throw .refused(text) }
    }

    private func drain() {
        let requests = outbox.withLock { outbox in
            defer { outbox.requests = [] }
            return outbox.requests
        }
        core.value.send(requests)
    }
}

/// The unanswered commands of a `CommandConnection`, including commands that are not sent yet.
final class CommandLoad: Sendable {
    let commands = Atomic<Int>(0)
    let bytes = Atomic<Int>(0)
}

/// The incarnation of the server that a connection is currently connected to. Protected by a lock; set on the
/// connection's event loop.
final class SharedIncarnation: Sendable {
    private let state = Mutex<ServerIncarnation?>(nil)

    var value: ServerIncarnation? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    var server: String? { value?.server }
}
