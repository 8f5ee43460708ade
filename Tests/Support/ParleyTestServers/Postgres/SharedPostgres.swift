import Foundation

/// The server shared by a test run, started on first use and stopped when the runner ends.
package enum SharedPostgres {
    private static let starting = Task { try await started() }

    /// - Throws: the errors of ``PostgresServer/start(within:)``, on every call.
    package static func server() async throws -> PostgresServer { try await starting.value }

    /// The server to stop when the runner ends; set once, before the handler is registered.
    nonisolated(unsafe) private static var atEnd: PostgresServer?

    private static func started() async throws -> PostgresServer {
        let server = try await PostgresServer.start()
        atEnd = server
        atexit { SharedPostgres.atEnd?.stopBlocking() }
        return server
    }
}
