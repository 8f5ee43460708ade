import ParleyModel
import ParleyPostgres
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("During an outage of PostgreSQL", .serialized, .timeLimit(.minutes(2)))
struct OutageTests {
    private let ann = User(id: UserID(trusted: "u1"), name: "ann")

    private func fails(_ store: PostgresStore, within limit: Duration) async throws -> StoreError? {
        let begun = ContinuousClock.now
        let error = await #expect(throws: StoreError.self) { try await store.users([ann.id]) }
        #expect(begun.duration(to: .now) < limit)
        #expect(error?.isUnavailable == true, "\(String(describing: error))")
        return error
    }

    @Test("calls fail soon with a retryable error, and the store recovers", arguments: [true, false])
    func restart(byCrash: Bool) async throws {
        let instruments = TestInstruments()
        let server = try await PostgresServer.start()
        let database = try await PostgresTestDatabase(on: server)
        let store = try database.openStore(metrics: instruments)
        try await store.migrate()
        try await store.createUser(ann, passwordHash: nil)
        #expect(instruments.value("parley_postgres_up") == 1)
        for _ in 0..<3 {
            if byCrash { try await server.kill() } else { try await server.stop() }
            for _ in 0..<20 { _ = try await fails(store, within: .seconds(20)) }
            #expect(instruments.value("parley_postgres_up") == 0)
            #expect(instruments.value("parley_postgres_connections") == 0)
            try await server.restart()
            let isBack = try await eventually {
                do {
                    return try await store.users([ann.id]) == [ann.id: ann]
                } catch {
                    #expect((error as? StoreError)?.isUnavailable == true)
                    return false
                }
            }
            #expect(isBack)
            #expect(instruments.value("parley_postgres_up") == 1)
        }
        await store.close()
        try await server.stop()
    }

    @Test("a restart between two calls fails no call")
    func idle() async throws {
        let server = try await PostgresServer.start()
        let database = try await PostgresTestDatabase(on: server)
        let store = try database.openStore()
        try await store.migrate()
        try await store.createUser(ann, passwordHash: nil)
        try await server.kill()
        try await server.restart()
        #expect(try await store.users([ann.id]) == [ann.id: ann])
        await store.close()
        try await server.stop()
    }

    @Test("a crash in the middle of batches loses and duplicates nothing")
    func crashWhileWriting() async throws {
        let server = try await PostgresServer.start()
        let database = try await PostgresTestDatabase(on: server)
        let store = try database.openStore()
        try await store.migrate()
        try await store.createUser(ann, passwordHash: nil)
        let room = ThreadID(trusted: "r1")
        try await store.importRoom("tea", id: room, members: [ann])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for start in stride(from: Int64(1), to: 4000, by: 20) {
                    let batch = TestBatch(thread: room, sender: ann).batch(start...(start + 19))
                    // Retries until it is stored, as a persister does.
                    while true {
                        do throws(StoreError) {
                            let outcomes = try await store.write(batch)
                            #expect(outcomes.count == 20)
                            break
                        } catch {
                            #expect(error.isUnavailable, "\(error)")
                            // Other errors must not be hidden.
                            try Task.checkCancellation()
                            await Task.yield()
                        }
                    }
                }
            }
            for crash in 1...3 {
                let reached = "SELECT max(seq) >= \(crash * 900) FROM messages"
                #expect(
                    try await eventually {
                        try await server.psql(reached, database: database.name) == "t"
                    })
                try await server.kill()
                try await server.restart()
            }
            try await group.waitForAll()
        }
        let summary = "SELECT count(*), count(DISTINCT id), min(seq), max(seq), max(n), sum(n - seq) FROM messages"
        #expect(try await server.psql(summary, database: database.name) == "4000|4000|1|4000|4000|0")
        #expect(try await store.checkpoint(of: Partition(number: 0))?.offset == "4000")
        await store.close()
        try await server.stop()
    }

    @Test("a server that hangs costs the reply limit, and the store recovers")
    func hanging() async throws {
        let server = try await PostgresServer.start()
        let database = try await PostgresTestDatabase(on: server)
        // On a busy machine the schema may take longer than the limit under test.
        let unlimited = try database.openStore()
        try await unlimited.migrate()
        try await unlimited.createUser(ann, passwordHash: nil)
        await unlimited.close()
        let store = try database.openStore {
            $0.replyLimit = .milliseconds(400)
            $0.connectLimit = .seconds(2)
        }
        #expect(try await eventually { (try? await store.users([ann.id])) == [ann.id: ann] })
        server.freeze()
        // One on a hanging session, one on a hanging attempt to connect.
        #expect(try await fails(store, within: .seconds(20))?.text.contains("no answer within 0.4 seconds") == true)
        #expect(try await fails(store, within: .seconds(20))?.text.contains("timeout expired") == true)
        server.thaw()
        #expect(try await eventually { (try? await store.users([ann.id])) == [ann.id: ann] })
        await store.close()
        try await server.stop()
    }

    @Test("a statement that takes too long is cancelled by the server, and the session continues")
    func statementLimit() async throws {
        let instruments = TestInstruments()
        let database = try await PostgresTestDatabase.make()
        let store = try database.openStore(metrics: instruments) {
            $0.connections = 1
            $0.statementLimit = .milliseconds(150)
        }
        try await store.createUser(ann, passwordHash: nil)
        let other = try database.connection()
        try other.run([Statement.begin(), Statement("LOCK TABLE users IN ACCESS EXCLUSIVE MODE")()])
        #expect(try await fails(store, within: .seconds(20))?.text.contains("57014") == true)
        #expect(other.recover())
        #expect(try await store.users([ann.id]) == [ann.id: ann])
        #expect(instruments.value("parley_postgres_connects_total{outcome=\"connected\"}") == 1)
        try await database.remove()
    }

    @Test("a session that is ended while working fails its call only")
    func terminated() async throws {
        let database = try await PostgresTestDatabase.make()
        let store = try database.openStore()
        try await store.createUser(ann, passwordHash: nil)
        let other = try database.connection()
        try other.run([Statement.begin(), Statement("LOCK TABLE users IN ACCESS EXCLUSIVE MODE")()])
        let call = Task { try await store.users([ann.id]) }
        let waits = """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = '\(database.name)' AND wait_event_type = 'Lock'
            """
        #expect(try await eventually { try await database.server.psql(waits) == "t" })
        let error = await #expect(throws: StoreError.self) { try await call.value }
        #expect(error?.isUnavailable == true)
        #expect(error?.text.contains("57P01") == true, "\(String(describing: error))")
        #expect(other.recover())
        #expect(try await store.users([ann.id]) == [ann.id: ann])
        try await database.remove()
    }
}
