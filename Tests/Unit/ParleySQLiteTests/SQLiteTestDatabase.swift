import Foundation
import GRDB
import ParleyModel
import ParleySQLite
import ParleyStorage
import ParleyTestContracts
import ParleyTestSupport
import Synchronization

/// A database file in a directory of its own.
final class SQLiteTestDatabase: StoreDatabase {
    let directory: URL
    private let stores = Mutex<[SQLiteStore]>([])

    var path: String { directory.appending(path: "parley.db").path }

    /// Creates the directory, without a file.
    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "parley-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    static func make() async throws -> SQLiteTestDatabase {
        let database = try SQLiteTestDatabase()
        try await database.openStore().migrate()
        return database
    }

    func open() async throws -> any StoreUnderTest { try openStore() }

    func openStore(
        clock: WallClock = .system, busyTimeout: Duration = .patience, waitLimit: Duration = .seconds(5),
        searchLimit: Duration = .seconds(5),
        writability: @escaping @Sendable (String?) -> Void = { _ in }
    ) throws(StoreError) -> SQLiteStore {
        let store = try SQLiteStore(
            path: path, clock: clock, busyTimeout: busyTimeout, waitLimit: waitLimit, searchLimit: searchLimit,
            contentKey: ContentKey(secret: Array("secret".utf8)), nameLook: NameLook.ofContract,
            writability: writability)
        stores.withLock { $0.append(store) }
        return store
    }

    /// A connection without a store; it may leave a transaction open.
    func connection() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { db in
            db.add(function: DatabaseFunction("parley_content_digest", argumentCount: 4) { _ in nil })
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    func rejects() async throws -> [StoreReject] {
        try await connection().read { db in
            try Row.fetchAll(db, sql: "SELECT reason, bytes FROM ingest_rejects ORDER BY id")
                .map { StoreReject(reason: $0[0], bytes: Array($0[1] as Data)) }
        }
    }

    func execute(_ sql: String) async throws {
        try await connection().write { db in try db.execute(sql: sql) }
    }

    func number(_ sql: String) async throws -> Int64 {
        try await connection().read { db in try Int64.fetchOne(db, sql: sql) ?? 0 }
    }

    func apply(_ change: StoreRowChange) async throws { try await execute(change.sql) }
    func count(_ rows: StoreRowCount) async throws -> Int64 { try await number(rows.sql) }

    func remove() async throws {
        for store in stores.withLock({ $0 }) { try await store.close() }
        try FileManager.default.removeItem(at: directory)
    }
}
