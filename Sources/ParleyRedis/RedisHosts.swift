package import CoreMetrics
package import Logging
package import NIOCore

/// The connections of a node for commands; those of `commands`, one per host, are shared by the log and the bus.
package final class RedisHosts: Sendable {
    package let settings: RedisSettings
    package let layout: RedisLayout
    package let commands: [CommandConnection]
    /// Connections for commands that wait in Redis, one per host; their user starts them.
    let blocking: [CommandConnection]
    let logger: Logger
    /// Loaded on every host.
    package let scripts: RedisScripts
    /// The positions seen by the log and the bus.
    package let seen: SeenPositions

    /// - Parameter eventLoops: the connections are distributed over them; at least one.
    package init(
        _ settings: RedisSettings, eventLoops: [any EventLoop], logger: Logger,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) {
        seen = SeenPositions(limit: settings.log.threads)
        let scripts = RedisScripts(settings)
        self.scripts = scripts
        self.settings = settings
        layout = RedisLayout(
            names: ChannelNames(prefix: settings.channels.prefix, ownPrefix: settings.ownPrefix),
            ring: HostRing(count: settings.addresses.count))
        commands = settings.addresses.enumerated().map { index, address in
            CommandConnection(
                address, eventLoop: eventLoops[index % eventLoops.count], settings: settings.link,
                scripts: (scripts.all + RedisScripts.core(settings)).map(\.source), logger: logger, metrics: metrics)
        }
        self.logger = logger
        var blockingLogger = logger
        blockingLogger[metadataKey: "link"] = "blocking"
        // Without metrics: the time of a reply would say how long the command has waited.
        blocking = settings.addresses.enumerated().map { index, address in
            CommandConnection(
                address, eventLoop: eventLoops[index % eventLoops.count], settings: settings.link, scripts: [],
                logger: blockingLogger, metrics: NOOPMetricsHandler.instance)
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

    /// Checks that all hosts reply, concurrently; for `/readyz`.
    /// - Parameter limit: the time after which a host counts as unreachable.
    package func check(within limit: Duration) async throws(RedisError) {
        let failures = await withTaskGroup(of: RedisError?.self) { group in
            for connection in commands {
                group.addTask {
                    do throws(RedisError) {
                        try await connection.check(within: limit)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: []) { failures, failure in failures += failure.map { [$0] } ?? [] }
        }
        if let first = failures.first { throw first }
    }

    /// The recommended changes to the hosts' configuration, as text that begins with the host. Hosts where `INFO` is
    /// not permitted are skipped.
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

    /// Waits until commands can be sent to every host.
    package func waitUntilReady(within limit: Duration) async throws {
        for connection in commands { try await connection.waitUntilReady(within: limit) }
    }
}
