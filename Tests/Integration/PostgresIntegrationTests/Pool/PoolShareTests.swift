import Logging
import ParleyModel
import ParleyPostgres
import ParleyStorage
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

/// Floods of calls on a real server: what they hold, and who is served meanwhile.
@Suite("Shares of the connection pool", .serialized, .timeLimit(.minutes(5)))
struct PoolShareTests {
    private let instruments = TestInstruments()
    private static let connections = 8

    private func pool(
        on database: PostgresTestDatabase, _ change: (inout PostgresSettings) -> Void = { _ in }
    ) throws -> ConnectionPool {
        var settings = try database.settings(as: "flood")
        settings.connections = Self.connections
        settings.processors = 16
        settings.waitLimit = .seconds(60)
        settings.searchLimit = .seconds(60)
        change(&settings)
        return ConnectionPool(settings, metrics: PostgresMetrics(factory: instruments), logger: .quiet)
    }

    /// Calls whose statements wait on the server for a lock that the test holds.
    private func flood(_ pool: ConnectionPool, _ kind: CallKind, _ count: Int) -> [Task<Void, any Error>] {
        (0..<count).map { _ in
            Task {
                try await pool.perform(kind) { connection in
                    _ = try connection.run([Statement("SELECT pg_advisory_xact_lock_shared(7)")()])
                }
            }
        }
    }

    /// Statements of the pool that wait for the lock.
    private func blocked(on database: PostgresTestDatabase) async throws -> Int {
        let query = """
            SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database.name)' AND application_name = 'flood'
            AND wait_event_type = 'Lock'
            """
        return Int(try await database.server.psql(query)) ?? -1
    }

    /// A login and a batch of messages, as far as the pool is concerned.
    private func serve(_ pool: ConnectionPool, _ number: Int) async throws {
        let user = Statement("INSERT INTO users (id, name, created_ms) VALUES ($1, $1, 0)")
        try await pool.perform(.account) { connection in _ = try connection.run([user(.text("login-\(number)"))]) }
        try await pool.perform(.write) { connection in _ = try connection.run([user(.text("batch-\(number)"))]) }
        let found = try await pool.perform(.lookUp) { connection in
            try connection.run([Statement("SELECT count(*) FROM users")()])[0].first?.int(0)
        }
        #expect(found == Int64(2 * (number + 1)))
    }

    @Test("as many searches run at once as is set, whatever the processors of this machine", arguments: [1, 3])
    func searches(_ searches: Int) async throws {
        let database = try await PostgresTestDatabase.make()
        let pool = try pool(on: database) { $0.searches = searches }
        let holder = try database.connection()
        try holder.run([Statement.begin(), Statement("SELECT pg_advisory_xact_lock(7)")()])
        let calls = flood(pool, .search, 20)
        #expect(
            try await eventually { instruments.value("parley_postgres_pool_waiting") == Double(20 - searches) })
        #expect(try await eventually { try await blocked(on: database) == searches })
        #expect(holder.recover())
        for call in calls { try await call.value }
        await pool.close()
        try await database.remove()
    }

    @Test(
        "40 blocked calls of one kind hold their share and no more; logins and batches are served meanwhile",
        arguments: [(CallKind.search, 2), (.export, 2), (.inbox, 2), (.page, 5), (.list, 5)])
    func flooded(kind: CallKind, share: Int) async throws {
        let database = try await PostgresTestDatabase.make()
        let pool = try pool(on: database)
        let holder = try database.connection()
        try holder.run([Statement.begin(), Statement("SELECT pg_advisory_xact_lock(7)")()])
        let calls = flood(pool, kind, 40)
        #expect(try await eventually { instruments.value("parley_postgres_pool_waiting") == Double(40 - share) })
        #expect(try await eventually { try await blocked(on: database) == share })
        for number in 0..<3 { try await serve(pool, number) }
        #expect(try await blocked(on: database) == share)
        #expect(holder.recover())
        for call in calls { try await call.value }
        await pool.close()
        try await database.remove()
    }

    @Test("with searches, lists and pages all blocked, logins and batches are still served")
    func everything() async throws {
        let database = try await PostgresTestDatabase.make()
        let pool = try pool(on: database)
        let holder = try database.connection()
        try holder.run([Statement.begin(), Statement("SELECT pg_advisory_xact_lock(7)")()])
        let calls = [CallKind.inbox, .page, .search, .list, .export].flatMap { flood(pool, $0, 40) }
        // What is reserved for storing and serving stays free.
        #expect(try await eventually { try await blocked(on: database) == Self.connections - 3 })
        for number in 0..<3 { try await serve(pool, number) }
        #expect(holder.recover())
        var refused = 0
        for call in calls {
            do { try await call.value } catch {
                #expect((error as? StoreError)?.isUnavailable == true)
                refused += 1
            }
        }
        // Searches beyond the bound of their queue were refused at once.
        #expect(refused >= 120 - 2 - CallShares.maximumSearches)
        await pool.close()
        try await database.remove()
    }

    @Test("each statement of a search has a time limit, and the next call has the usual one again")
    func searchLimit() async throws {
        let database = try await PostgresTestDatabase.make()
        let pool = try pool(on: database) {
            $0.connections = 1
            $0.searchLimit = .milliseconds(200)
        }
        let (quick, slow) = (Statement("SELECT 1::bigint"), Statement("SELECT pg_sleep($1::bigint)::text"))
        for kind in [CallKind.search, .export, .inbox] {
            let error = await #expect(throws: StoreError.self) {
                try await pool.perform(kind) { connection in _ = try connection.run([quick(), slow(.int(60))]) }
            }
            #expect(error?.isUnavailable == true)
            #expect(error?.text.contains("57014") == true, "\(String(describing: error))")
            // The limit is in force for each of several runs, adds no row, and ends with the call.
            try await pool.perform(kind) { connection in
                for _ in 0..<2 {
                    #expect(try connection.run([quick()]).map { try $0.first?.int(0) } == [1])
                }
                let limit = try connection.run([Statement("SHOW statement_timeout")()])[0].first?.text(0)
                #expect(limit == "200ms")
            }
            try await pool.perform(.page) { connection in
                let limit = try connection.run([Statement("SHOW statement_timeout")()])[0].first?.text(0)
                #expect(limit == "30s")
                try connection.run([slow(.int(1))])
            }
        }
        #expect(instruments.value("parley_postgres_connects_total{outcome=\"connected\"}") == 1)
        await pool.close()
        try await database.remove()
    }
}
