import ArgumentParser
import Foundation
import Logging
import ParleyAccounts
import ParleyGateway

/// The settings that have a flag. Every setting can be given by environment or file as well; see docs/settings.md.
struct ServerFlags: ParsableArguments {
    @Option(help: "The address to listen on (default: 127.0.0.1).")
    var bind: String?

    @Option(help: "The port for HTTP and WebSocket (default: 8080).")
    var port: String?

    @Option(help: "The port for the TCP line door (default: none).")
    var linePort: String?

    @Option(help: "The port for /metrics and the reasons of /readyz (default: none, /metrics is on --port).")
    var opsPort: String?

    @Option(
        help: ArgumentHelp(
            "A Redis host: redis://, rediss://, unix:// or redis+sentinel:// (default: none, all in memory).",
            discussion: "Repeat it for several hosts; their order counts."))
    var redis: [String] = []

    @Option(help: "Where messages and accounts are kept: sqlite:PATH or postgres://… (default: sqlite:parley.db).")
    var database: String?

    @Option(help: "The name of this node (default: parley).")
    var node: String?

    @Option(help: "How long sockets are sent off after SIGTERM, at most (default: 10).")
    var drainSeconds: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical (default: info).")
    var logLevel: String?

    @Option(help: "A JSON file with settings; flags and environment go before it.")
    var config: String?

    @Option(help: ArgumentHelp("A wrong that the server does on purpose, for trying checkers.", visibility: .private))
    var plantedFault: String?

    /// Reads all settings from flags, environment and file.
    func settings(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws(SettingError) -> (settings: Settings, reader: SettingsReader, unknown: [String]) {
        let source = try await SettingsSource(
            flags: flags, environment: environment, file: config ?? environment["PARLEY_CONFIG"])
        var reader = source.reader()
        var settings = try Settings(&reader, secretFallback: KeptSecret.read)
        settings.plantedFault = try faultToPlant(permit: environment[PlantedFault.Order.permit.variable])
        return (settings, reader, source.unknownVariables(besides: reader.entries))
    }

    /// Runs a node until a signal ends it.
    func runNode(as role: Role) async throws {
        do {
            let (settings, _, unknown) = try await settings()
            if role != .serve { try settings.requireCluster() }
            var logger = Logger(label: "parley") { StreamLogHandler.standardError(label: $0) }
            logger.logLevel = settings.logLevel
            logger[metadataKey: "node"] = "\(settings.gateway.node)"
            for variable in unknown {
                logger.warning("unknown setting in the environment", metadata: ["variable": "\(variable)"])
            }
            if let fault = settings.plantedFault {
                logger.warning(
                    "THIS NODE DOES WRONG ON PURPOSE: --planted-fault is given; it must serve nobody",
                    metadata: ["kind": "\(fault.kind.rawValue)", "delivery": "\(fault.delivery)"])
            }
            try await Node(settings, as: role, logger: logger).run()
        } catch {
            throw StartFailure(error)
        }
    }

    /// - Parameter permit: what the environment says about it; without the right words the flag is refused.
    private func faultToPlant(permit: String?) throws(SettingError) -> PlantedFault.Order? {
        guard let plantedFault else { return nil }
        let needed = PlantedFault.Order.permit
        guard permit == needed.value else {
            throw SettingError(
                setting: "--planted-fault",
                explanation: "is for trying checkers only, and needs \(needed.variable)=\"\(needed.value)\"")
        }
        guard let order = PlantedFault.Order(plantedFault) else {
            let kinds = PlantedFault.Order.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw SettingError(
                setting: "--planted-fault", explanation: "allowed is one of \(kinds), a colon and a number from 1 on")
        }
        return order
    }

    private var flags: [String: String] {
        [
            "bind": bind, "port": port, "line_port": linePort, "ops.port": opsPort, "database": database,
            "redis": redis.isEmpty ? nil : redis.joined(separator: ","), "node": node,
            "drain_seconds": drainSeconds, "log_level": logLevel,
        ].compactMapValues { $0 }
    }
}
