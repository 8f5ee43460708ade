import Foundation
import GRDB
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("Opening and migrating a SQLite store")
struct SQLiteOpeningTests {
    @Test("the file has the settings that durability and concurrency need")
    func settings() async throws {
        let database = try SQLiteTestDatabase()
        let pool = try SQLiteFile.open(path: database.path, busyTimeout: .milliseconds(1500))
        let pragmas = ["journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "1500"]
        for (pragma, value) in pragmas {
            let found = try await pool.writeWithoutTransaction { db in
                try Row.fetchOne(db, sql: "PRAGMA \(pragma)")?.databaseValues.first?.description
            }
            #expect(found?.trimmingCharacters(in: ["\""]) == value, "\(pragma)")
        }
        try pool.close()
        try await database.remove()
    }

    private func mode(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
    }

    @Test("only its owner may read a new database and its WAL files")
    func freshMode() async throws {
        let database = try SQLiteTestDatabase()
        let store = try database.openStore()
        #expect(store.tightened.isEmpty)
        try await store.migrate()
        for suffix in ["", "-wal", "-shm"] { #expect(try mode(database.path + suffix) == 0o600, "\(suffix)") }
        try await database.remove()
    }

    @Test("a database that others can read is restricted, unless its group may write it")
    func oldMode() async throws {
        let database = try SQLiteTestDatabase()
        try await database.openStore().migrate()
        for (before, after) in [(0o644, 0o600), (0o666, 0o660), (0o600, 0o600), (0o640, 0o600)] {
            for suffix in ["", "-wal", "-shm"] {
                try FileManager.default.setAttributes(
                    [.posixPermissions: before], ofItemAtPath: database.path + suffix)
            }
            let tightened = try database.openStore().tightened
            for suffix in ["", "-wal", "-shm"] {
                #expect(try mode(database.path + suffix) == after, "\(suffix)")
                #expect(tightened.contains(database.path + suffix) == (before != after))
            }
        }
        try await database.remove()
    }

    @Test("a path that cannot be a database is named in the error", arguments: ["", ":memory:", "none/parley.db", "."])
    func refusedPath(_ name: String) async throws {
        let database = try SQLiteTestDatabase()
        let path = name.isEmpty || name == ":memory:" ? name : database.directory.appending(path: name).path
        let error = #expect(throws: StoreError.self) { try SQLiteStore(path: path) }
        #expect(path.isEmpty || error?.text.contains(path) == true, "\(String(describing: error))")
        try await database.remove()
    }

    @Test("a file that is not a database is named in the error")
    func noDatabase() async throws {
        let database = try SQLiteTestDatabase()
        try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: database.path))
        #expect(throws: StoreError.failed("\(database.path) is not an SQLite database")) {
            try SQLiteStore(path: database.path)
        }
        try await database.remove()
    }

    @Test("a store is ready once migrated, until it is closed")
    func check() async throws {
        let database = try SQLiteTestDatabase()
        let store = try database.openStore()
        let error = await #expect(throws: StoreError.self) { try await store.check() }
        #expect(error?.isUnavailable == true)
        try await store.migrate()
        try await store.check()
        try await store.migrate()
        try await store.close()
        try await store.close()
        let closed = StoreError.unavailable("\(database.path) is closed")
        await #expect(throws: closed) { try await store.check() }
        await #expect(throws: closed) { try await store.setPassword("h", of: UserID(trusted: "u"), keeping: nil) }
        try await database.remove()
    }

    @Test("many stores may open and migrate a new file concurrently")
    func concurrentStart() async throws {
        for _ in 0..<5 {
            let database = try SQLiteTestDatabase()
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        let store = try database.openStore()
                        try await store.migrate()
                        try await store.check()
                    }
                }
                try await group.waitForAll()
            }
            let steps = try await database.connection().read { db in
                try String.fetchAll(db, sql: "SELECT number || ' ' || name FROM parley_schema")
            }
            #expect(steps == ["1 0.1.0"])
            try await database.remove()
        }
    }

    @Test("a store keeps its data when it is opened again")
    func reopening() async throws {
        let database = try await SQLiteTestDatabase.make()
        let ann = User(id: UserID(trusted: "u1"), name: "ann")
        let first = try database.openStore()
        try await first.createUser(ann, passwordHash: nil)
        try await first.close()
        let second = try database.openStore()
        try await second.migrate()
        #expect(try await second.users([ann.id]) == [ann.id: ann])
        try await database.remove()
    }
}
