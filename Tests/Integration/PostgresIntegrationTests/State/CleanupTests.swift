import ParleyModel
import ParleyPostgres
import ParleyStorage
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("Cleanups in PostgreSQL", .serialized)
struct CleanupTests {
    private let ann = User(id: UserID(trusted: "ann"), name: "ann")
    private let room = ThreadID(trusted: "r-tea")

    /// A room with messages of ann whose deletion has been committed, as if the process had ended then.
    private func brokenOff(messages: Int) async throws -> (PostgresTestDatabase, PostgresStore) {
        let database = try await PostgresTestDatabase.make()
        let store = try database.openStore()
        try await store.createUser(ann, passwordHash: nil)
        try await fill(database, messages: messages)
        try database.connection().run(
            [
                "INSERT INTO cleanups (kind, id, due_ms) VALUES ('thread', 'r-tea', 5)",
                "INSERT INTO deleted_epochs (thread_id, epoch, deleted_ms) VALUES ('r-tea', 'e', 5)",
            ].map { Statement($0, isKept: false)() })
        return (database, store)
    }

    private func fill(_ database: PostgresTestDatabase, messages: Int) async throws {
        try database.connection().run([
            Statement(
                """
                INSERT INTO messages (thread_id, seq, id, epoch, date_ms, n, sender_id, sender_name, client_id, text)
                SELECT 'r-tea', n, 'm' || n, 'e', n, n, 'ann', 'ann', CASE WHEN n % 2 = 0 THEN 'c' || n END, 'text'
                FROM generate_series(1, $1) AS n
                """, isKept: false)(.int(Int64(messages)))
        ])
    }

    private func count(_ what: String, _ database: PostgresTestDatabase) async throws -> String {
        try await database.server.psql("SELECT count(*) FROM \(what)", database: database.name)
    }

    @Test("a thread's rows are deleted in parts, unless another persister works on them")
    func thread() async throws {
        let (database, store) = try await brokenOff(messages: 4500)
        try database.connection().run(
            [
                """
                INSERT INTO events (thread_id, seq, log_seq, epoch, date_ms, n, kind, user_id, user_name)
                SELECT 'r-tea', n, n, 'e', n, n, 'left', 'bob', 'bob' FROM generate_series(5001, 7500) AS n
                """,
                """
                INSERT INTO reactions (thread_id, message_seq, emoji, user_id)
                SELECT 'r-tea', n, '!', 'ann' FROM generate_series(1, 6500) AS n
                """,
                "UPDATE cleanups SET due_ms = 9000000000000",
            ].map { Statement($0, isKept: false)() })
        try await store.finishCleanups()
        #expect(try await count("messages", database) == "4500")
        try database.connection().run([Statement("UPDATE cleanups SET due_ms = 5", isKept: false)()])
        // No transaction deletes more than some thousand rows.
        try database.connection().run(
            [
                """
                CREATE FUNCTION few() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    IF (SELECT count(*) FROM gone) > 2000 THEN RAISE EXCEPTION 'too many'; END IF;
                    RETURN NULL;
                END $$
                """
            ].map { Statement($0, isKept: false)() })
        for table in ["messages", "events", "reactions"] {
            try database.connection().run([
                Statement(
                    """
                    CREATE TRIGGER few AFTER DELETE ON \(table) REFERENCING OLD TABLE AS gone
                    FOR EACH STATEMENT EXECUTE FUNCTION few()
                    """, isKept: false)()
            ])
        }
        try await store.finishCleanups()
        for table in ["messages", "events", "reactions"] { #expect(try await count(table, database) == "0") }
        #expect(try await count("cleanups", database) == "0")
        try await database.remove()
    }

    @Test("a thread created again begins empty, and loses nothing in the cleanup")
    func again() async throws {
        let (database, store) = try await brokenOff(messages: 100)
        _ = try await store.join(ann, roomTitled: "tea", newID: room, at: 6)
        #expect(try await count("messages", database) == "0")
        try await fill(database, messages: 3)
        try await store.finishCleanups()
        #expect(try await count("messages", database) == "3")
        try await database.remove()
    }

    @Test("while many rows are left, a thread with the id cannot be created")
    func tooMany() async throws {
        let (database, store) = try await brokenOff(messages: 4500)
        let error = await #expect(throws: StoreError.self) {
            try await store.join(ann, roomTitled: "tea", newID: room, at: 6)
        }
        guard case .unavailable? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await count("messages", database) == "4500")
        try await store.finishCleanups()
        _ = try await store.join(ann, roomTitled: "tea", newID: room, at: 6)
        #expect(try await count("messages", database) == "0")
        try await database.remove()
    }

    @Test("a cleanup that fails does not block others")
    func several() async throws {
        let (database, store) = try await brokenOff(messages: 10)
        try database.connection().run([
            Statement("INSERT INTO cleanups (kind, id, due_ms) VALUES ('thread', 'r-milk', 1)", isKept: false)()
        ])
        let holder = try database.connection()
        try holder.run(
            ["BEGIN", "SELECT 1 FROM cleanups WHERE id = 'r-milk' FOR UPDATE"].map { Statement($0, isKept: false)() })
        let claimed = try await store.claimCleanups(limit: 9)
        #expect(claimed.map(\.subject) == [.thread(room)])
        for cleanup in claimed { try await store.finish(cleanup, forgetting: ForgottenSends()) }
        #expect(try await count("messages", database) == "0")
        try holder.run([Statement("ROLLBACK", isKept: false)()])
        try await database.remove()
    }

    @Test("the entry of a node with a wrong clock is overdue by the server's clock")
    func clocks() async throws {
        let database = try await PostgresTestDatabase.make()
        for minutes in [-10, 10] as [Int64] {
            let wrong = WallClock { WallClock.system.milliseconds + minutes * 60_000 }
            let store = try database.openStore(clock: wrong)
            let user = User(id: UserID(trusted: "u\(minutes + 10)"), name: "u\(minutes + 10)")
            try await store.createUser(user, passwordHash: nil)
            let announced = try await store.join(
                user, roomTitled: "tea", newID: room, at: wrong.milliseconds
            ).outbox
            let right = try database.openStore()
            #expect(try await right.overdueEntries(age: 0, after: 0, limit: 9).suffix(1) == announced.suffix(1))
            #expect(try await right.overdueEntries(age: 60_000, after: 0, limit: 9).isEmpty)
            #expect(try await store.eraseUser(user.id, at: wrong.milliseconds).value)
            #expect(try await right.claimCleanups(limit: 9).map(\.subject).contains(.user(user.id)))
        }
        try await database.remove()
    }

    @Test("an interrupted erasure is finished")
    func user() async throws {
        let (database, store) = try await brokenOff(messages: 1200)
        try await store.finishCleanups()
        try await fill(database, messages: 1200)
        try database.connection().run(
            [
                "INSERT INTO threads (id, kind, title, visibility, created_ms) VALUES ('r-milk', 'room', 'milk', 'public', 1)",
                """
                INSERT INTO members (thread_id, user_id, role, read_seq, joined_ms) VALUES ('r-milk', 'ann', 'owner', 0, 1)
                """,
                "UPDATE users SET name = 'erased:ann', erased_ms = 1 WHERE id = 'ann'",
                "INSERT INTO cleanups (kind, id, due_ms) VALUES ('user', 'ann', 5)",
            ].map { Statement($0, isKept: false)() })
        try await store.finishCleanups()
        #expect(try await count("messages WHERE text <> '' OR sender_name <> 'erased:ann'", database) == "0")
        #expect(try await count("members", database) == "0")
        #expect(try await count("cleanups", database) == "0")
        let announced = try await store.outboxEntries(of: nil, limit: 9)
        let milk = ThreadID(trusted: "r-milk")
        #expect(
            announced.filter { $0.thread == milk }.map(\.content) == [
                .append(.left(.erased(ann.id), by: ann.id)), .redactUser(ann.id),
            ])
        #expect(announced.filter { $0.thread == room }.map(\.content) == [.redactUser(ann.id)])
        try await database.remove()
    }
}
