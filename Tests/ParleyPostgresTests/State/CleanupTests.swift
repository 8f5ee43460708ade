import ParleyModel
import ParleyPostgres
import ParleyTestSupport
import Testing

@Suite("What a deletion or an erasure has left to do in PostgreSQL", .serialized)
struct CleanupTests {
    private let ann = User(id: UserID(trusted: "ann"), name: "ann")
    private let room = ThreadID(trusted: "r-tea")

    /// A room with messages of ann, of which the deletion has been committed, as if its process had died then.
    private func brokenOff(messages: Int) async throws -> (PostgresTestDatabase, PostgresStore) {
        let database = try await PostgresTestDatabase.make()
        let store = try database.openStore()
        try await store.createUser(ann, passwordHash: nil)
        try await fill(database, messages: messages)
        try database.connection().run(
            [
                "INSERT INTO cleanups (kind, id, begun_ms) VALUES ('thread', 'r-tea', 5)",
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

    @Test("a thread's rows go, some at a time, and only of those begun before")
    func thread() async throws {
        let (database, store) = try await brokenOff(messages: 4500)
        try await store.finishCleanups(begunBefore: 5)
        #expect(try await count("messages", database) == "4500")
        try await store.finishCleanups(begunBefore: 6)
        #expect(try await count("messages", database) == "0")
        #expect(try await count("cleanups", database) == "0")
        try await database.remove()
    }

    @Test("a thread made again under the id begins without them, and loses nothing when they are cleaned up")
    func again() async throws {
        let (database, store) = try await brokenOff(messages: 100)
        _ = try await store.join(ann, roomTitled: "tea", newID: room, at: 6)
        #expect(try await count("messages", database) == "0")
        try await fill(database, messages: 3)
        try await store.finishCleanups(begunBefore: .max)
        #expect(try await count("messages", database) == "3")
        try await database.remove()
    }

    @Test("an erasure that broke off is finished")
    func user() async throws {
        let (database, store) = try await brokenOff(messages: 1200)
        try await store.finishCleanups(begunBefore: .max)
        try await fill(database, messages: 1200)
        try database.connection().run(
            [
                "INSERT INTO threads (id, kind, title, created_ms) VALUES ('r-milk', 'room', 'milk', 1)",
                """
                INSERT INTO members (thread_id, user_id, role, read_seq, joined_ms) VALUES ('r-milk', 'ann', 'owner', 0, 1)
                """,
                "UPDATE users SET name = 'erased:ann', erased_ms = 1 WHERE id = 'ann'",
                "INSERT INTO cleanups (kind, id, begun_ms) VALUES ('user', 'ann', 5)",
            ].map { Statement($0, isKept: false)() })
        try await store.finishCleanups(begunBefore: 6)
        #expect(try await count("messages WHERE text <> '' OR sender_name <> 'erased:ann'", database) == "0")
        #expect(try await count("members", database) == "0")
        #expect(try await count("cleanups", database) == "0")
        let told = try await store.outboxEntries(of: nil, before: .max, limit: 9)
        let milk = ThreadID(trusted: "r-milk")
        #expect(
            told.filter { $0.thread == milk }.map(\.content) == [
                .append(.left(.erased(ann.id), by: ann.id)), .redactUser(ann.id),
            ])
        #expect(told.filter { $0.thread == room }.map(\.content) == [.redactUser(ann.id)])
        try await database.remove()
    }
}
