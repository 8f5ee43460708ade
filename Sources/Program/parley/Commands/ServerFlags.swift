import ArgumentParser
import Foundation
import Logging
import ParleyAccounts
import ParleyGateway

/// The settings that have a flag. Every setting can be given by environment or file as well; see docs/settings.md.
struct ServerFlags: ParsableArguments {
    @Option(help: "Address to listen on (default: 127.0.0.1).")
    var bind: String?

    @Option(help: "Port for HTTP and WebSocket (default: 8080).")
    var port: String?

    @Option(help: "Port of the TCP line listener (default: off).")
    var linePort: String?

    @Option(help: "Port of a listener for /metrics and the detailed /readyz (default: off, /metrics is on --port).")
    var opsPort: String?

    @Option(
        help: ArgumentHelp(
            "Redis host: redis://, rediss://, unix:// or redis+sentinel:// (default: none, all in memory).",
            discussion: "Repeat the option for several hosts. Their order matters."))
    var redis: [String] = []

    @Option(help: "Database of messages and accounts: sqlite:PATH or postgres://… (default: sqlite:parley.db).")
    var database: String?

    @Option(help: "Name of this node (default: parley).")
    var node: String?

    @Option(help: "Maximum drain time after SIGTERM, in seconds (default: 10).")
    var drainSeconds: String?

    @Option(
        help: "Minimum level of log lines: trace, debug, info, notice, warning, error or critical (default: info).")
    var logLevel: String?

    @Option(help: "JSON file with settings. Flags and environment variables take precedence.")
    var config: String?

    @Option(help: ArgumentHelp("Fault to inject on purpose, for testing checkers.", visibility: .private))
    var plantedFault: String?

    /// The result of `settings(for:environment:)`.
    struct Reading {
        var settings: Settings
        let unknown: [UnknownSetting]
        /// Secrets that still have the value of a sample.
        let placeholders: [SettingError]
    }

    /// Reads all settings from flags, environment and file.
    /// - Parameter secretFallback: the secret of a node without a configured one.
    /// - Throws: everything that is wrong.
    func settings(
        for role: Role = .serve, environment: [String: String] = ProcessInfo.processInfo.environment,
        secretFallback: (DatabaseAddress) throws(SettingError) -> Secret = KeptSecret.read
    ) async throws(SettingErrors) -> Reading {
        let source = try await SettingsSource(
            flags: flags, environment: environment, file: config ?? environment["PARLEY_CONFIG"])
        var reader = source.reader()
        var settings: Settings
        do throws(SettingErrors) {
            settings = try Settings(&reader, needsRedis: role != .serve, secretFallback: secretFallback)
        } catch {
            var error = error
            error.unknown = source.unknownSettings(besides: reader.entries)
            throw error
        }
        do throws(SettingError) {
            settings.plantedFault = try faultToPlant(permit: environment[PlantedFault.Order.permit.variable])
        } catch {
            throw SettingErrors(error)
        }
        return Reading(
            settings: settings, unknown: source.unknownSettings(besides: reader.entries),
            placeholders: reader.placeholders)
    }

    /// Runs a node until a signal ends it.
    /// - Parameter wire: the function that wires the role.
    func runNode(
        as role: Role, _ wire: (_ settings: Settings, _ logger: Logger) async throws -> Node
    ) async throws {
        do {
            let reading = try await settings(for: role)
            let settings = reading.settings
            var logger = Logger(label: "parley") { StreamLogHandler.standardError(label: $0) }
            logger.logLevel = settings.logLevel
            logger[metadataKey: "node"] = "\(settings.gateway.node)"
            for unknown in reading.unknown {
                var metadata: Logger.Metadata = ["setting": "\(unknown.name)"]
                if let file = unknown.file { metadata["file"] = "\(file)" }
                if let suggestion = unknown.suggestion { metadata["did_you_mean"] = "\(suggestion)" }
                logger.warning("unknown setting", metadata: metadata)
            }
            if let fault = settings.plantedFault {
                logger.warning(
                    "FAULT INJECTION IS ON: --planted-fault is given; this node must not serve users",
                    metadata: ["kind": "\(fault.kind.rawValue)", "delivery": "\(fault.delivery)"])
            }
            FileSizeLimit.failWrites()
            if role == .persister { ProcessPriority.raise(nice: settings.persisterNice) }
            try await wire(settings, logger).run()
        } catch {
            throw StartFailure(error, flags: flags)
        }
    }

    /// - Parameter permit: the value of the variable that permits it; without the right one the flag is rejected.
    private func faultToPlant(permit: String?) throws(SettingError) -> PlantedFault.Order? {
        guard let plantedFault else { return nil }
        let needed = PlantedFault.Order.permit
        guard permit == needed.value else {
            throw SettingError(
                setting: "--planted-fault",
                explanation: "is only for testing checkers, and requires \(needed.variable)=\"\(needed.value)\"")
        }
        guard let order = PlantedFault.Order(plantedFault) else {
            let kinds = PlantedFault.Order.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw SettingError(
                setting: "--planted-fault",
                explanation:
                    "invalid value \(String(reflecting: plantedFault)); expected one of \(kinds), a colon and a "
                    + "number from 1 on")
        }
        return order
    }

    /// The flags that were given, by the name of the setting.
    private var flags: [String: String] {
        [
            "bind": bind, "port": port, "line_port": linePort, "ops.port": opsPort, "database": database,
            "redis": redis.isEmpty ? nil : redis.joined(separator: ","), "node": node,
            "drain_seconds": drainSeconds, "log_level": logLevel,
        ].compactMapValues { $0 }
    }
}
