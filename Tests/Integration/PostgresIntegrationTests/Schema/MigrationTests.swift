import ParleyModel
import ParleyPostgres
import ParleyStorage
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("The schema of a PostgreSQL database", .serialized)
struct MigrationTests {
    private func empty() async throws -> PostgresTestDatabase {
        try await PostgresTestDatabase(on: SharedPostgres.server())
    }

    @Test("a store is ready once the database is migrated, until it is closed")
    func check() async throws {
        let database = try await empty()
        let store = try database.openStore()
        let error = await #expect(throws: StoreError.self) { try await store.check() }
        #expect(error?.isUnavailable == true)
        #expect(error?.text.contains("migrate") == true)
        try await store.migrate()
        try await store.check()
        try await store.migrate()
        await store.close()
        await store.close()
        let closed = StoreError.unavailable("the store is closed")
        await #expect(throws: closed) { try await store.check() }
        await #expect(throws: closed) { try await store.setPassword("h", of: UserID(trusted: "u"), keeping: nil) }
        try await database.remove()
    }

    @Test("eight stores migrate a new database concurrently, and each step is applied once")
    func concurrentStart() async throws {
        for _ in 0..<4 {
            let database = try await empty()
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
            let steps = try await database.server.psql(
                "SELECT number, name FROM parley_schema ORDER BY number", database: database.name)
            #expect(steps == "1|0.1.0")
            try await database.remove()
        }
    }

    @Test("a migration that fails leaves nothing, and can be repeated later")
    func failing() async throws {
        let database = try await empty()
        // A name that the schema needs.
        try await database.server.psql("CREATE VIEW ingest_rejects AS SELECT 1", database: database.name)
        let store = try database.openStore()
        let error = await #expect(throws: StoreError.self) { try await store.migrate() }
        #expect(error?.isUnavailable == false)
        #expect(error?.text.contains("ingest_rejects") == true)
        let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
        #expect(try await database.server.psql(tables, database: database.name) == "0")
        try await database.server.psql("DROP VIEW ingest_rejects", database: database.name)
        try await store.migrate()
        try await store.check()
        try await database.remove()
    }

    /// A step that a later version could add.
    private static let second = Migration(
        number: 2, name: "synthetic", oldestNode: 1, statements: ["ALTER TABLE users ADD COLUMN synthetic bigint"])

    @Test("a second step is applied once, to a database in use, and keeps its rows; nodes that it allows go on")
    func secondStep() async throws {
        let database = try await PostgresTestDatabase.make()
        let store = try database.openStore()
        let ann = User(id: UserID(trusted: "ann"), name: "ann")
        try await store.createUser(ann, passwordHash: nil)
        let steps = Migrations.all + [Self.second]
        #expect(
            try Migrations.history(of: database.connection()).compare(with: steps.count) == .behind(step: 1, of: 2))
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { try Migrations.run(steps, on: database.connection(), at: 5) }
            }
            try await group.waitForAll()
        }
        #expect(try await database.number("SELECT applied_ms FROM parley_schema WHERE number = 2") == 5)
        #expect(try Migrations.history(of: database.connection()).compare(with: steps.count) == .complete)
        // This version knows the first step only.
        try await store.check()
        try await store.migrate()
        #expect(try await store.users([ann.id]) == [ann.id: ann])
        try await database.remove()
    }

    @Test("an inspection finds what a database lacks, and creates nothing")
    func inspection() async throws {
        let database = try await empty()
        let store = try database.openStore()
        #expect(try await store.inspect() == .empty)
        #expect(try await database.number("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == 0)
        try await store.migrate()
        #expect(try await store.inspect() == .complete)
        let steps = Migrations.all + [Self.second]
        #expect(try Migrations.history(of: database.connection()).compare(with: steps.count) == .behind(step: 1, of: 2))
        try await database.remove()
    }

    @Test("a step that fails leaves nothing of itself")
    func failingStep() async throws {
        let database = try await PostgresTestDatabase.make()
        let broken = Migration(
            number: 2, name: "broken", oldestNode: 1,
            statements: Self.second.statements + ["ALTER TABLE nowhere ADD COLUMN other bigint"])
        let connection = try database.connection()
        #expect(throws: PostgresError.self) { try Migrations.run(Migrations.all + [broken], on: connection, at: 5) }
        try Migrations.run(Migrations.all + [Self.second], on: database.connection(), at: 6)
        #expect(try await database.number("SELECT count(*) FROM parley_schema") == 2)
        try await database.remove()
    }

    @Test("a database of a newer version is refused unchanged, unless its steps are compatible")
    func newer() async throws {
        let database = try await PostgresTestDatabase.make()
        let store = try database.openStore()
        let calls = [store.migrate, store.check] as [() async throws -> Void]
        try await database.server.psql(
            "INSERT INTO parley_schema VALUES (98, 'beside', 0, \(Migrations.current))", database: database.name)
        for call in calls { try await call() }
        try await database.server.psql(
            "INSERT INTO parley_schema VALUES (99, 'future', 0, 99)", database: database.name)
        for call in calls {
            let error = await #expect(throws: StoreError.self) { try await call() }
            #expect(error?.text.contains("newer version of Parley (schema step 99") == true)
            #expect(error?.isUnavailable == false)
        }
        try await database.remove()
    }

    @Test(
        "a database from before version 0.1.0 is refused unchanged",
        arguments: [["parley_migrations"], ["parley_migrations", "parley_schema"]])
    func unreleased(tables: [String]) async throws {
        let database = try await empty()
        for table in tables {
            try await database.execute(
                """
                CREATE TABLE \(table) (
                    number bigint PRIMARY KEY, name text NOT NULL, applied_ms bigint NOT NULL,
                    oldest_node bigint NOT NULL DEFAULT 4)
                """)
            try await database.execute("INSERT INTO \(table) VALUES (1, 'foundation', 0), (14, 'name looks', 0)")
        }
        let store = try database.openStore()
        for call in [store.migrate, store.check] as [() async throws -> Void] {
            let error = await #expect(throws: StoreError.self) { try await call() }
            #expect(
                error?.text
                    == "the database is from before version 0.1.0, which cannot be upgraded: start with an empty one")
            #expect(error?.isUnavailable == false)
        }
        let count = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
        #expect(try await database.number(count) == Int64(tables.count))
        try await database.remove()
    }

    @Test("a role without CREATE accepts a complete schema, and is refused a missing step")
    func roleOfNodes() async throws {
        let database = try await empty()
        let (server, role) = (database.server, "\(database.name)_nodes")
        try await server.psql("CREATE ROLE \(role) LOGIN PASSWORD 'nodes'")
        let url = "postgres://\(role):nodes@127.0.0.1:\(server.port)/\(database.name)"
        let store = PostgresStore(try PostgresSettings(url: url), logger: .quiet)
        let error = await #expect(throws: StoreError.self) { try await store.migrate() }
        #expect(error?.text.contains("permission denied") == true)
        try await database.openStore().migrate()
        try await server.psql(
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(role)", database: database.name)
        try await store.migrate()
        try await store.check()
        await store.close()
        try await database.remove()
        try await server.psql("DROP ROLE \(role)")
    }

    @Test("a database of another encoding is refused with the required one")
    func encoding() async throws {
        let server = try await SharedPostgres.server()
        let database = try await empty()
        try await server.drop(database.name)
        try await server.psql("CREATE DATABASE \(database.name) TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
        let error = await #expect(throws: StoreError.self) { try await database.openStore().migrate() }
        #expect(error?.isUnavailable == false)
        #expect(error?.text.contains("LATIN1; it must be created with UTF8") == true)
        try await database.remove()
    }

    @Test("the tables can be in a schema of their own")
    func schema() async throws {
        let database = try await empty()
        try await database.server.psql("CREATE SCHEMA chat", database: database.name)
        let settings = try PostgresSettings(
            url: database.server.url(database: database.name) + "?options=-csearch_path%3Dchat")
        let store = PostgresStore(settings, logger: .quiet)
        try await store.migrate()
        try await store.check()
        let ann = User(id: UserID(trusted: "u1"), name: "ann")
        try await store.createUser(ann, passwordHash: nil)
        #expect(try await database.server.psql("SELECT name FROM chat.users", database: database.name) == "ann")
        await store.close()
        try await database.remove()
    }
}
