import CoreMetrics
import Logging
import ParleyModel
import ParleyPostgres
import ParleyStorage
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Synchronization
import Testing

/// A database on the test run's server.
final class PostgresTestDatabase: StoreDatabase {
    let name: String
    let server: PostgresServer
    private let stores = Mutex<[PostgresStore]>([])

    /// - Parameter template: the database to copy; `nil` for one without tables.
    init(on server: PostgresServer, from template: String? = nil) async throws {
        self.server = server
        name = try await server.makeDatabase(from: template)
    }

    static func make() async throws -> PostgresTestDatabase {
        try await PostgresTestDatabase(on: SharedPostgres.server(), from: template.value)
    }

    /// An empty migrated database on the shared server, created on first use.
    private static let template = Task {
        let database = try await PostgresTestDatabase(on: SharedPostgres.server())
        let store = try database.openStore()
        try await store.migrate()
        await store.close()
        return database.name
    }

    func open() async throws -> any StoreUnderTest { try openStore() }

    /// - Parameters:
    ///   - metrics: the metrics of the store; `nil` for none.
    ///   - change: changes the settings.
    func openStore(
        clock: WallClock = .system, metrics: (any MetricsFactory)? = nil,
        _ change: (inout PostgresSettings) -> Void = { _ in }
    ) throws(StoreError) -> PostgresStore {
        var settings = try settings(as: "test")
        settings.connections = 4
        settings.contentKey = ContentKey(secret: Array("secret".utf8))
        settings.nameLook = NameLook.ofContract
        change(&settings)
        let store = PostgresStore(
            settings, clock: clock, logger: .quiet, metrics: metrics ?? NOOPMetricsHandler.instance)
        stores.withLock { $0.append(store) }
        return store
    }

    /// - Parameter name: the application name of the sessions.
    func settings(as name: String) throws(StoreError) -> PostgresSettings {
        try PostgresSettings(url: server.url(database: self.name) + "?application_name=\(name)")
    }

    /// A connection without a store.
    func connection() throws -> PostgresConnection {
        try PostgresConnection(PostgresSettings(url: server.url(database: name)))
    }

    func rejects() async throws -> [StoreReject] {
        let query = Statement("SELECT reason, bytes FROM ingest_rejects ORDER BY id")
        return try connection().run([query()])[0].map {
            StoreReject(reason: try $0.text(0), bytes: try #require(try $0.optionalBytes(1)))
        }
    }

    func execute(_ sql: String) async throws {
        try connection().run([Statement(sql)()])
    }

    func number(_ sql: String) async throws -> Int64 {
        try connection().run([Statement(sql)()])[0].first?.int(0) ?? 0
    }

    func apply(_ change: StoreRowChange) async throws { try await execute(change.sql) }
    func count(_ rows: StoreRowCount) async throws -> Int64 { try await number(rows.sql) }

    func remove() async throws {
        for store in stores.withLock({ $0 }) { await store.close() }
        try await server.drop(name)
    }
}
