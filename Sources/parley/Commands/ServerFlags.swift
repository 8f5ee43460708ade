import ArgumentParser
import Foundation
import ParleyAccounts

/// The settings that have a flag. Every setting can be given by environment or file as well; see docs/settings.md.
struct ServerFlags: ParsableArguments {
    @Option(help: "The address to listen on (default: 127.0.0.1).")
    var bind: String?

    @Option(help: "The port for HTTP and WebSocket (default: 8080).")
    var port: String?

    @Option(help: "The port for the TCP line door (default: none).")
    var linePort: String?

    @Option(help: "Where messages and accounts are kept: sqlite:PATH (default: sqlite:parley.db).")
    var database: String?

    @Option(help: "The name of this node (default: parley).")
    var node: String?

    @Option(help: "How long sockets are sent off after SIGTERM, at most (default: 10).")
    var drainSeconds: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical (default: info).")
    var logLevel: String?

    @Option(help: "A JSON file with settings; flags and environment go before it.")
    var config: String?

    /// Reads all settings from flags, environment and file.
    func settings(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws(SettingFlaw) -> (settings: Settings, reader: SettingsReader, unknown: [String]) {
        let source = try await SettingsSource(
            flags: flags, environment: environment, file: config ?? environment["PARLEY_CONFIG"])
        var reader = source.reader()
        let settings = try Settings(&reader, secretFallback: KeptSecret.read)
        return (settings, reader, source.unknownVariables(besides: reader.entries))
    }

    private var flags: [String: String] {
        [
            "bind": bind, "port": port, "line_port": linePort, "database": database, "node": node,
            "drain_seconds": drainSeconds, "log_level": logLevel,
        ].compactMapValues { $0 }
    }
}
