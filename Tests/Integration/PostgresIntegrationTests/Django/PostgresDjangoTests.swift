import ParleyModel
import ParleyPostgres
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Synchronization
import Testing

@Suite("A Django site's PostgreSQL database")
struct PostgresDjangoTests {
    final class Site: DjangoDatabase {
        private let database: PostgresTestDatabase
        private let opened = Mutex<[PostgresDjango]>([])

        private init(_ database: PostgresTestDatabase) {
            self.database = database
        }

        static func uuid(_ text: String) -> (type: String, value: String) { ("uuid", "'\(text)'") }

        static func make() async throws -> Site {
            Site(try await PostgresTestDatabase(on: SharedPostgres.server()))
        }

        func run(_ sql: String) async throws {
            try database.connection().run([Statement(sql)()])
        }

        func open(_ model: DjangoUserModel) async throws -> any DjangoDirectory {
            let directory = PostgresDjango(try database.settings(as: "django"), model: model, logger: .quiet)
            opened.withLock { $0.append(directory) }
            return directory
        }

        func plan(of call: Call, _ keys: [String]) async throws -> [String] {
            let explain = Query("EXPLAIN " + call.statement.sql, isKept: false) { try $0.text(0) }
            return try database.connection().run(explain(.texts(keys)))
        }

        func remove() async throws {
            for directory in opened.withLock({ $0 }) { await directory.close() }
            try await database.remove()
        }
    }

    @Test("the contract of Django directories is satisfied", arguments: DjangoDirectoryFact.allCases)
    func contract(_ fact: DjangoDirectoryFact) async throws {
        try await fact.check(on: Site.self)
    }

    @Test("queries use its indexes")
    func plans() async throws {
        let site = try await Site.make()
        for sql in [
            "CREATE TABLE auth_user (id integer PRIMARY KEY, username varchar(150), password varchar(128), is_active boolean)",
            "INSERT INTO auth_user SELECT n, 'user' || n, 'x', true FROM generate_series(1, 20000) n",
            "CREATE TABLE django_session (session_key varchar(40) PRIMARY KEY, session_data text, expire_date timestamptz)",
            "INSERT INTO django_session SELECT 'key' || n, 'x', now() + '1 day' FROM generate_series(1, 20000) n",
            "ANALYZE",
        ] {
            try await site.run(sql)
        }
        let columns = [
            DjangoQueries.Column(name: "id", type: "integer", isKey: true),
            DjangoQueries.Column(name: "is_active", type: "boolean", isKey: false),
        ]
        let users = try #require(DjangoQueries(.standard, columns: columns)).users
        for (call, key, index) in [
            (users(.texts([])).call, "1", "auth_user_pkey"),
            (DjangoQueries.sessions(.texts([])).call, "key1", "django_session_pkey"),
        ] {
            let plan = try await site.plan(of: call, [key])
            #expect(plan.contains { $0.contains(index) }, "\(plan)")
            #expect(!plan.contains { $0.contains("Seq Scan") }, "\(plan)")
        }
        try await site.remove()
    }
}
