import Foundation
import GRDB
import ParleyModel
import ParleySQLite
import ParleyStorage
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("The schema of a SQLite database")
struct SQLiteMigrationTests {
    /// A step that a later version could add.
    private static let second = Migration(
        number: 2, name: "synthetic", sql: "ALTER TABLE users ADD COLUMN synthetic INTEGER;")

    @Test("a second step is applied once, to a database in use, and keeps its rows; this version then refuses the file")
    func secondStep() async throws {
        let database = try await SQLiteTestDatabase.make()
        let store = try database.openStore()
        let ann = User(id: UserID(trusted: "ann"), name: "ann")
        try await store.createUser(ann, passwordHash: nil)
        let steps = Migrations.all + [Self.second]
        for time in [5, 6] as [Int64] {
            try await database.connection().write { db in
                let finding = try Migrations.history(of: db).compare(with: steps.count)
                #expect(finding == (time == 5 ? .behind(step: 1, of: 2) : .complete))
                try Migrations.run(steps, on: db, at: time)
            }
        }
        let applied = try await database.connection().read { db in
            try Int64.fetchAll(db, sql: "SELECT applied_ms FROM parley_schema WHERE number = 2")
        }
        #expect(applied == [5])
        #expect(try await store.users([ann.id]) == [ann.id: ann])
        let error = await #expect(throws: StoreError.self) { try await store.migrate() }
        #expect(error?.text.contains("newer version of Parley") == true)
        try await database.remove()
    }

    @Test("a database of a newer version is refused unchanged")
    func newer() async throws {
        let database = try await SQLiteTestDatabase.make()
        try await database.connection().write { db in
            try db.execute(sql: "INSERT INTO parley_schema VALUES (99, 'future', 0)")
        }
        let store = try database.openStore()
        for call in [store.migrate, store.check] as [() async throws -> Void] {
            let error = await #expect(throws: StoreError.self) { try await call() }
            #expect(error?.text.contains("newer version of Parley") == true)
            #expect(error?.isUnavailable == false)
        }
        try await database.remove()
    }

    @Test("a database from before version 0.1.0 is refused unchanged")
    func unreleased() async throws {
        let database = try SQLiteTestDatabase()
        let (store, connection) = (try database.openStore(), try database.connection())
        try await connection.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE parley_migrations (
                        number INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied_ms INTEGER NOT NULL) STRICT;
                    INSERT INTO parley_migrations VALUES (1, 'foundation', 0), (13, 'name looks', 0);
                    """)
        }
        for call in [store.migrate, store.check] as [() async throws -> Void] {
            let error = await #expect(throws: StoreError.self) { try await call() }
            #expect(
                error?.text
                    == "the database is from before version 0.1.0, which cannot be upgraded: start with an empty one")
            #expect(error?.isUnavailable == false)
        }
        let tables = try await connection.read { db in
            try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        #expect(tables == ["parley_migrations"])
        try await database.remove()
    }

    private func files(_ database: SQLiteTestDatabase) throws -> [String: Data] {
        let folder = URL(fileURLWithPath: database.path).deletingLastPathComponent()
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.path.hasPrefix(database.path) && !$0.path.hasSuffix("-shm") }
            .reduce(into: [:]) { $0[$1.lastPathComponent] = try Data(contentsOf: $1) }
    }

    @Test("an inspection finds what a file lacks, and writes nothing")
    func inspection() async throws {
        let database = try SQLiteTestDatabase()
        #expect(try SchemaInspection.finding(at: database.path) == .empty)
        #expect(try files(database).isEmpty)
        let store = try database.openStore()
        try await store.migrate()
        // Beside a process that has the file open, and after it.
        for isOpen in [true, false] {
            if !isOpen { try await store.close() }
            let before = try files(database)
            #expect(try SchemaInspection.finding(at: database.path) == .complete)
            #expect(try files(database) == before)
        }
        try await database.remove()
    }

    @Test("an inspection refuses what a store refuses")
    func refusedInspection() async throws {
        #expect {
            try SchemaInspection.finding(at: "/nonexistent/folder/parley.db")
        } throws: { "\($0)".contains("/nonexistent/folder") }
        let database = try SQLiteTestDatabase()
        try await database.connection().write { db in
            try db.execute(sql: "CREATE TABLE parley_migrations (number INTEGER)")
        }
        #expect {
            try SchemaInspection.finding(at: database.path)
        } throws: { "\($0)".contains("from before version 0.1.0") }
        try await database.remove()
    }
}
