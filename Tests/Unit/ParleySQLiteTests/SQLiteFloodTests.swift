import GRDB
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("Floods of reads of a SQLite store", .timeLimit(.minutes(2)))
struct SQLiteFloodTests {
    private let ann = User(id: UserID(trusted: "u1"), name: "ann")

    /// Makes lists of a user's threads take for ever: a view with an endless query hides the table of members.
    private func makeEndless(_ database: SQLiteTestDatabase) async throws {
        try await database.execute(
            """
            ALTER TABLE members RENAME TO hidden_members;
            CREATE VIEW members AS SELECT hidden_members.* FROM hidden_members, (
                WITH RECURSIVE endless(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless)
                SELECT n FROM endless WHERE n < 0)
            """)
    }

    @Test("a search that takes too long is interrupted and unavailable")
    func interrupted() async throws {
        let database = try await SQLiteTestDatabase.make()
        let store = try database.openStore(searchLimit: .milliseconds(100))
        try await store.createUser(ann, passwordHash: nil)
        _ = try await store.join(ann, roomTitled: "tea", newID: ThreadID(trusted: "r1"), at: 1)
        try await makeEndless(database)
        for _ in 0..<SQLiteStore.maximumReaders + 2 {
            let error = await #expect(throws: StoreError.self) { try await store.inbox(of: ann.id) }
            #expect(error?.isUnavailable == true)
            #expect(error?.text.contains("longer than 0.1 seconds") == true, "\(String(describing: error))")
        }
        #expect(try await store.users([ann.id]) == [ann.id: ann])
        try await database.remove()
    }

    @Test("40 endless lists hold one reader; logins, pages and writes continue")
    func flooded() async throws {
        let database = try await SQLiteTestDatabase.make()
        let store = try database.openStore(waitLimit: .patience, searchLimit: .patience)
        let room = ThreadID(trusted: "r1")
        try await store.createUser(ann, passwordHash: nil)
        _ = try await store.join(ann, roomTitled: "tea", newID: room, at: 1)
        try await makeEndless(database)
        let calls = (0..<40).map { number in
            Task {
                if number.isMultiple(of: 2) {
                    _ = try await store.inbox(of: ann.id)
                } else {
                    _ = try await store.threads(of: ann.id, after: nil, limit: 10)
                }
            }
        }
        #expect(try await eventually { store.waitingReads == 39 })
        let bob = User(id: UserID(trusted: "u2"), name: "bob")
        try await store.createUser(bob, passwordHash: nil)
        for _ in 0..<20 {
            #expect(try await store.users([ann.id, bob.id]).count == 2)
            _ = try await store.messages(in: room, MessageQuery(limit: 3))
        }
        #expect(store.waitingReads == 39)
        for call in calls { call.cancel() }
        for call in calls {
            let error = await #expect(throws: StoreError.self) { try await call.value }
            #expect(error?.isUnavailable == true)
        }
        #expect(store.waitingReads == 0)
        try await database.remove()
    }
}
