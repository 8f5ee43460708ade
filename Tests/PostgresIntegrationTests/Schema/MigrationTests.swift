import ParleyModel
import ParleyPostgres
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
            let steps = "SELECT string_agg(number::text, ',' ORDER BY number) FROM "
            #expect(
                try await database.server.psql(steps + "parley_schema", database: database.name)
                    == "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15")
            // Old versions read this table. They are compatible with steps 5 to 8 and 10 to 15.
            #expect(try await database.server.psql(steps + "parley_migrations", database: database.name) == "1,2,3,4,9")
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

    @Test("a database of step 4 keeps its rows, and later writes of an older version raise versions")
    func stateStep() async throws {
        let database = try await empty()
        let (store, connection) = (try database.openStore(), try database.connection())
        #expect(try Migrations.run(on: connection, at: 1, through: 4)?.number == nil)
        try connection.run(
            [
                "INSERT INTO users (id, name, password_hash, created_ms) VALUES ('a', 'ann', 'h', 1)",
                "INSERT INTO threads (id, kind, title, created_ms) VALUES ('t', 'room', 'tea', 1)",
                "INSERT INTO members VALUES ('t', 'a', 'owner', 3, 2, 1)", "INSERT INTO sessions VALUES ('s', 'a', 9)",
            ].map { Statement($0, isKept: false)() })
        await #expect(throws: StoreError.self) { try await store.check() }
        try await store.migrate()
        let ann = UserID(trusted: "a")
        let before = try await store.snapshots(of: [ann])[ann]
        #expect(before?.version == 0)
        #expect(before?.credentialsVersion == 0)
        #expect(before?.memberships.map(\.role) == [.owner])
        let begin = try await store.changes(since: nil, limit: 9)
        let old = ["UPDATE users SET password_hash = 'new' WHERE id = 'a'", "DELETE FROM sessions"]
        try connection.run(old.map { Statement($0, isKept: false)() })
        #expect(try await store.changes(since: begin.mark, limit: 9).users == [ann])
        #expect(try await store.snapshots(of: [ann])[ann]?.credentialsVersion == 1)
        try await database.remove()
    }

    @Test("accounts of step 6, and those created by an older version, have no known origin")
    func operatorStep() async throws {
        let database = try await empty()
        let (store, connection) = (try database.openStore(), try database.connection())
        #expect(try Migrations.run(on: connection, at: 1, through: 6)?.number == nil)
        let old = { (id: String) in
            let sql = "INSERT INTO users (id, name, password_hash, created_ms) VALUES ('\(id)', 'name-\(id)', 'h', 1)"
            return Statement(sql, isKept: false)()
        }
        try connection.run([old("before")])
        try await store.migrate()
        try connection.run([old("after")])
        for id in ["before", "after"].map({ UserID(trusted: $0) }) {
            #expect(
                try await store.operatorStatus(of: id) == OperatorStatus(isGranted: false, origin: nil), "\(id)")
            #expect(try await store.setOperator(true, of: id, at: 2).value == true)
            #expect(try await store.operatorStatus(of: id)?.isGranted == true)
        }
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
