package import CoreMetrics
package import Logging
package import NIOCore
import ParleyChannels
import ParleyModel
package import ParleyRedisClient
import Synchronization

/// The connections of a node for commands. The log and the bus share `commands`, one connection per host.
package final class RedisHosts: Sendable {
    package let settings: RedisSettings
    package let layout: RedisLayout
    package let commands: [CommandConnection]
    package let transport: any RedisTransport
    /// Connections for commands that wait in Redis, one per host; their user starts them.
    let blocking: [CommandConnection]
    package let logger: Logger
    /// The scripts that are loaded on every host.
    package let scripts: RedisScripts
    /// The positions seen by the log and the bus.
    package let seen: SeenPositions
    /// Determines whether a host has lost events; set by the log.
    let settle = Mutex<(@Sendable (Int) async throws(AppendError) -> Void)?>(nil)

    /// - Parameters:
    ///   - eventLoops: the connections are distributed over them; at least one.
    ///   - transport: opens all connections to Redis, including the connections of the bus and of the core layer.
    package init(
        _ settings: RedisSettings, eventLoops: [any EventLoop], transport: any RedisTransport = SocketTransport(),
        logger: Logger, metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) {
        seen = SeenPositions(limit: settings.log.threads)
        let scripts = RedisScripts(settings)
        self.scripts = scripts
        self.settings = settings
        self.transport = transport
        layout = RedisLayout(
            names: ChannelNames(prefix: settings.channels.prefix, ownPrefix: settings.ownPrefix),
            ring: HostRing(count: settings.addresses.count))
        commands = settings.addresses.enumerated().map { index, address in
            CommandConnection(
                address, eventLoop: eventLoops[index % eventLoops.count], settings: settings.link, transport: transport,
                scripts: (scripts.all + RedisScripts.core(settings)).map(\.source), logger: logger, metrics: metrics)
        }
        self.logger = logger
        var blockingLogger = logger
        blockingLogger[metadataKey: "link"] = "blocking"
        // These have no metrics: the time of a reply would be the time that the command has waited.
        blocking = settings.addresses.enumerated().map { index, address in
            CommandConnection(
                address, eventLoop: eventLoops[index % eventLoops.count], settings: settings.link, transport: transport,
                scripts: [], logger: blockingLogger, metrics: NOOPMetricsHandler.instance)
        }
    }

    /// Connects to all hosts.
    package func start() {
        for connection in commands { connection.start() }
    }

    /// Closes all connections; unanswered commands fail.
    package func stop() async {
        for connection in commands + blocking { await connection.stop() }
    }

    /// Returns the hosts that do not reply, each with the reason; asks them concurrently.
    /// - Parameter limit: the time after which a host counts as unreachable.
    package func problems(within limit: Duration) async -> [String] {
        let failures = await withTaskGroup(of: (Int, RedisError)?.self) { group in
            for (host, connection) in commands.enumerated() {
                group.addTask {
                    do throws(RedisError) {
                        try await connection.check(within: limit)
                        return nil
                    } catch {
                        return (host, error)
                    }
                }
            }
            return await group.reduce(into: [(Int, RedisError)]()) { failures, failure in
                if let failure { failures.append(failure) }
            }
        }
        return failures.sorted { $0.0 < $1.0 }.map { "\(settings.addresses[$0].label): \($1)" }
    }

    /// Returns the Unix time of a host in milliseconds.
    package func milliseconds(of host: Int, within limit: Duration) async throws(RedisError) -> Int64 {
        let reply = try await commands[host].send(RESPCommand("TIME"), within: limit)
        guard let parts = reply.elements, parts.count == 2,
            let seconds = parts[0].number?.within(0...LogBounds.dates.upperBound / 1000),
            let microseconds = parts[1].number?.within(0...999_999)
        else { throw .unexpected("no time") }
        return seconds * 1000 + microseconds / 1000
    }

    /// Returns the recommended changes to the hosts' configuration, as text that begins with the host. Hosts where
    /// `INFO` is not permitted are skipped.
    package func advice() async throws(RedisError) -> [String] {
        var advice: [String] = []
        for (address, connection) in zip(settings.addresses, commands) {
            do throws(RedisError) {
                let info = try await connection.send(RESPCommand("INFO")).text ?? ""
                advice += RedisAdvice.read(info).map { "\(address): \($0)" }
            } catch .refused {
                continue
            }
        }
        return advice
    }

    /// Waits until commands can be sent to some host, and a shorter time for the others, which may be unavailable for
    /// long.
    package func waitUntilAnyIsReady(within limit: Duration, others: Duration) async throws {
        try await waitUntilAny(within: limit, others: others, isAnyReady: { commands.contains(where: \.isReady) }) {
            try await waitUntilReady(within: $0)
        }
    }

    /// Waits until commands can be sent to every host.
    package func waitUntilReady(within limit: Duration) async throws {
        for connection in commands { try await connection.waitUntilReady(within: limit) }
    }
}

/// Waits until all are ready; after `others` it suffices that one is.
/// - Throws: what `waitForAll` throws, if none is ready within `limit`.
func waitUntilAny(
    within limit: Duration, others: Duration, isAnyReady: () -> Bool,
    _ waitForAll: (_ limit: Duration) async throws -> Void
) async throws {
    let end = ContinuousClock.now + limit
    do {
        try await waitForAll(others)
    } catch {
        while !isAnyReady() {
            guard ContinuousClock.now < end else { throw error }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
