import ParleyModel
import ParleyPostgres
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Synchronization
import Testing

@Suite("Failures of a PostgreSQL store", .serialized)
struct TroubleTests {
    private let ann = User(id: UserID(trusted: "u1"), name: "ann")

    @Test("a batch that fails in the middle leaves nothing, and can be repeated")
    func failingBatch() async throws {
        let database = try await PostgresTestDatabase.make()
        let store = try database.openStore()
        try await store.createUser(ann, passwordHash: nil)
        let room = ThreadID(trusted: "r1")
        try await store.importRoom("tea", id: room, members: [ann])
        let batch = TestBatch(thread: room, sender: ann).batch(1...10)
        // The tenth row fails through no fault of its own, so the batch must not continue without it.
        let other = try database.connection()
        try other.run(
            [
                """
                CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$
                """,
                """
                CREATE TRIGGER no_room BEFORE INSERT ON messages FOR EACH ROW WHEN (NEW.seq = 10)
                EXECUTE FUNCTION fail()
                """,
            ].map { Statement($0)() })
        let error = await #expect(throws: StoreError.self) { try await store.write(batch) }
        #expect(error == .unavailable("PostgreSQL: no room (53100)"))
        try other.run([Statement("DROP TRIGGER no_room ON messages")()])
        #expect(try await store.head(of: room) == nil)
        #expect(try await store.checkpoint(of: batch.partition) == nil)
        #expect(try await store.write(batch) == (1...10).map { .stored(seq: $0) })
        try await database.remove()
    }

    @Test("two conflicting transactions both succeed")
    func collision() async throws {
        let database = try await PostgresTestDatabase.make()
        let store = try database.openStore()
        try await store.createUser(ann, passwordHash: nil)
        let room = ThreadID(trusted: "r1")
        try await store.importRoom("tea", id: room, members: [ann])
        // Fails once, as a deadlock does.
        let other = try database.connection()
        try other.run(
            [
                "CREATE SEQUENCE tries",
                """
                CREATE FUNCTION collide() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF nextval('tries') = 1 THEN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END IF; RETURN NEW; END $$
                """,
                "CREATE TRIGGER once BEFORE INSERT ON messages FOR EACH STATEMENT EXECUTE FUNCTION collide()",
            ].map { Statement($0)() })
        let batch = TestBatch(thread: room, sender: ann).batch(1...3)
        #expect(try await store.write(batch) == (1...3).map { .stored(seq: $0) })
        #expect(try await database.server.psql("SELECT last_value FROM tries", database: database.name) == "2")
        try await database.remove()
    }

    @Test("long expired sessions are deleted in parts")
    func purge() async throws {
        let database = try await PostgresTestDatabase.make()
        let now = Mutex<Int64>(1_000_000)
        let store = try database.openStore(clock: WallClock { now.withLock { $0 } })
        try await store.createUser(ann, passwordHash: nil)
        let hashes = (0..<150).map { TokenHash("h\($0)") }
        for (number, hash) in hashes.enumerated() {
            try await store.createSession(AuthSession(tokenHash: hash, user: ann, expires: 1_000_000 + Int64(number)))
        }
        now.withLock { $0 = 1_000_000 + PostgresStore.sessionGrace + 140 }
        func login(_ name: String) async throws -> Int {
            let hash = TokenHash(name)
            try await store.createSession(AuthSession(tokenHash: hash, user: ann, expires: .max))
            return try await store.sessions(hashes).count
        }
        #expect(try await login("a") == 150 - PostgresStore.sessionPurgeLimit)
        #expect(try await login("b") == 10)
        #expect(try await login("c") == 10)
        try await database.remove()
    }

    @Test("calls are counted and timed by kind")
    func metrics() async throws {
        let instruments = TestInstruments()
        let database = try await PostgresTestDatabase.make()
        let store = try database.openStore(metrics: instruments)
        #expect(instruments.value("parley_postgres_up") == 0)
        try await store.createUser(ann, passwordHash: nil)
        let room = ThreadID(trusted: "r1")
        _ = try await store.join(ann, roomTitled: "tea", newID: room, at: 1)
        let batch = TestBatch(thread: room, sender: ann).batch(1...3)
        _ = try await store.write(batch)
        _ = try await store.inbox(of: ann.id)
        _ = try await store.inbox(of: ann.id)
        _ = try await store.messages(in: room, MessageQuery(limit: 3))
        _ = try await store.users([ann.id])
        _ = try await store.head(of: room)
        _ = try await store.checkpoint(of: batch.partition)
        try await store.markRead(room, by: ann.id, through: 1)
        _ = try await store.search("tea", of: ann.id, in: nil, limit: 3)
        _ = try await store.export(of: ann.id, after: nil, limit: 3)
        _ = try await store.members(of: room, after: nil, limit: 3)
        try await store.check()
        let counts = [
            "account": 3, "write": 1, "inbox": 2, "page": 1, "look_up": 1, "history": 1, "checkpoint": 1,
            "mark_read": 1, "search": 1, "schema": 1, "export": 1, "list": 1,
        ]
        for kind in CallKind.allCases.map(\.rawValue) {
            #expect(instruments.count("parley_postgres_call_seconds{kind=\"\(kind)\"}") == counts[kind], "\(kind)")
        }
        #expect(instruments.value("parley_postgres_up") == 1)
        #expect(instruments.value("parley_postgres_connections") == 1)
        #expect(instruments.count("parley_postgres_pool_wait_seconds") == 15)
        try await database.remove()
    }
}
