import ArgumentParser
import Logging
import ParleyGateway

/// `parley serve`: everything in one process.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run everything in one process.",
        discussion: """
            With no options it needs no server: bus and log in memory, messages and accounts in the SQLite file \
            ./parley.db. Stop it with Ctrl-C or SIGTERM.
            """
    )

    @OptionGroup var flags: ServerFlags

    func run() async throws {
        do {
            let (settings, _, unknown) = try await flags.settings()
            var logger = Logger(label: "parley") { StreamLogHandler.standardError(label: $0) }
            logger.logLevel = settings.logLevel
            logger[metadataKey: "node"] = "\(settings.gateway.node)"
            for variable in unknown {
                logger.warning("unknown setting in the environment", metadata: ["variable": "\(variable)"])
            }
            try await EmbeddedNode(settings, logger: logger).run()
        } catch {
            throw StartFailure(error)
        }
    }
}
