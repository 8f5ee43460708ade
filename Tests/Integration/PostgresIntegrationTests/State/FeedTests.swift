import ParleyModel
import ParleyPostgres
import ParleyStorage
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("The change feed of PostgreSQL", .serialized)
struct FeedTests {
    private let users = (0..<4).map { User(id: UserID(trusted: "u\($0)"), name: "user \($0)") }

    private func made() async throws -> (PostgresTestDatabase, PostgresStore) {
        let database = try await PostgresTestDatabase.make()
        let store = try database.openStore()
        for user in users { try await store.createUser(user, passwordHash: nil) }
        return (database, store)
    }

    private func touch(_ user: User) -> Call {
        Statement("UPDATE users SET credentials_version = credentials_version + 1 WHERE id = $1", isKept: false)(
            .text(user.id.text))
    }

    @Test("a transaction that begins before the mark and commits after it is reported")
    func lateCommit() async throws {
        let (database, store) = try await made()
        let late = try database.connection()
        try late.run([Statement.begin(), touch(users[0])])
        let begin = try await store.changes(since: nil, limit: 9)
        _ = try await store.revokeAll(of: users[1].id)
        // A reader that follows the order of ids alone would have missed the late one.
        let first = try await store.changes(since: begin.mark, limit: 9)
        #expect(first.users == [users[1].id])
        let second = try await store.changes(since: first.mark, limit: 9)
        #expect(second.users.isEmpty)
        try late.run([Statement.commit()])
        let third = try await store.changes(since: second.mark, limit: 9)
        #expect(third.users == [users[0].id])
        #expect(try await store.changes(since: third.mark, limit: 9).users.isEmpty)
        try await database.remove()
    }

    @Test("a transaction that commits between two pages is reported")
    func lateCommitBetweenPages() async throws {
        let (database, store) = try await made()
        let late = try database.connection()
        let begin = try await store.changes(since: nil, limit: 9)
        try late.run([Statement.begin(), touch(users[0])])
        for user in users[1...] { _ = try await store.revokeAll(of: user.id) }
        var page = try await store.changes(since: begin.mark, limit: 2)
        var reported = page.users
        try late.run([Statement.commit()])
        while page.hasMore {
            page = try await store.changes(since: page.mark, limit: 2)
            reported += page.users
        }
        reported += try await store.changes(since: page.mark, limit: 9).users
        #expect(Set(reported) == Set(users.map(\.id)))
        try await database.remove()
    }

    @Test("a different or restarted server is detected")
    func reset() async throws {
        let (database, store) = try await made()
        let mark = try await store.changes(since: nil, limit: 9).mark
        let fields = mark.text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        var elsewhere = fields
        elsewhere[0] = "1.2.3"
        // A standby that had not received everything.
        var ahead = fields
        ahead[1] = "900000000000:900000000000:"
        for fields in [elsewhere, ahead] {
            let page = try await store.changes(since: ChangeMark(fields.joined(separator: "|")), limit: 9)
            #expect(page.isReset)
        }
        #expect(try await store.changes(since: mark, limit: 9).isReset == false)
        try await database.remove()
    }

    @Test("transactions of another server in a restored copy are not reported")
    func foreignIDs() async throws {
        let (database, store) = try await made()
        let insert = Statement(
            "INSERT INTO versions SELECT 'u:x' || n, 1, '900000000000'::xid8 FROM generate_series(1, 1000) AS n")
        try database.connection().run([insert()])
        let begin = try await store.changes(since: nil, limit: 9)
        _ = try await store.revokeAll(of: users[0].id)
        let page = try await store.changes(since: begin.mark, limit: 9)
        #expect(page.users == [users[0].id])
        #expect(!page.hasMore)
        try await database.remove()
    }

    @Test("two transactions that change the same users in opposite orders do not deadlock")
    func opposite() async throws {
        let (database, store) = try await made()
        let room = ThreadID(trusted: "r-tea")
        _ = try await store.importRecords(
            [.room(id: room, title: "tea")]
                + users.map { .member(thread: room, user: UserReference(id: $0.id), role: nil) }, at: 1)
        try await database.server.psql("ALTER DATABASE \(database.name) SET deadlock_timeout = '50ms'")
        let connections = try [database.connection(), database.connection()]
        // Rows of two tables, so that only the versions could conflict.
        let role = Statement("UPDATE members SET role = $1 WHERE user_id = $2", isKept: false)
        for round in 0..<20 {
            let name = round % 2 == 0 ? "moderator" : "member"
            try connections[0].run(
                [Statement.begin()] + users.map { role(.text(name), .text($0.id.text)) })
            try connections[1].run([Statement.begin()] + users.reversed().map { touch($0) })
            // If either held a version already, the other's commit would not return.
            try connections[round % 2].run([Statement.commit()])
            try connections[1 - round % 2].run([Statement.commit()])
        }
        let snapshots = try await store.snapshots(of: users.map(\.id))
        #expect(snapshots.values.map(\.version) == users.map { _ in 41 })
        try await database.remove()
    }

    @Test("many stores change the same users in any order, and none fails")
    func rush() async throws {
        let (database, store) = try await made()
        let other = try database.openStore()
        let rooms = (0..<6).map { ThreadID(trusted: "r-\($0)") }
        _ = try await store.importRecords(rooms.map { .room(id: $0, title: "room \($0)") }, at: 1)
        try await withThrowingTaskGroup { group in
            for round in 0..<200 {
                let (user, room) = (users[round % 4], rooms[round % 6])
                let store = round % 2 == 0 ? store : other
                group.addTask {
                    switch round % 5 {
                    case 0: _ = try await store.revokeAll(of: user.id)
                    case 1: _ = try await store.deleteThread(room, by: user.id) { _ in }
                    case 2: _ = try await store.join(user, roomTitled: "room \(room)", newID: room, at: 2)
                    default:
                        do {
                            _ = try await store.setMember(
                                user, of: room, role: round % 2 == 0 ? .moderator : .member, by: user.id, at: 3
                            ) { roles in if roles.thread == nil { throw CancellationError() } }
                        } catch is CancellationError {}
                    }
                }
            }
            try await group.waitForAll()
        }
        // The table is empty between transactions.
        let left = "SELECT count(*) FROM raised_versions"
        #expect(try await database.server.psql(left, database: database.name) == "0")
        try await database.remove()
    }
}
