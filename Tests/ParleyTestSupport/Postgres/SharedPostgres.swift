import Foundation

/// The one server of a test run, started by who first asks and stopped at the runner's end.
package enum SharedPostgres {
    private static let starting = Task { try await started() }

    /// - Throws: what ``PostgresServer/start(within:)`` does, to everyone who asks.
    package static func server() async throws -> PostgresServer { try await starting.value }

    /// What the runner's end stops; set once, before the handler is registered.
    nonisolated(unsafe) private static var atEnd: PostgresServer?

    private static func started() async throws -> PostgresServer {
        let server = try await PostgresServer.start()
        atEnd = server
        atexit { SharedPostgres.atEnd?.stopBlocking() }
        return server
    }
}
