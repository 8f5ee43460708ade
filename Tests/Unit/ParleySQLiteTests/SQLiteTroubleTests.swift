import GRDB
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Synchronization
import Testing

@Suite("Failures of a SQLite store")
struct SQLiteTroubleTests {
    @Test(
        "errors of SQLite are retryable or not, and name the file",
        arguments: [
            (.SQLITE_BUSY, true), (.SQLITE_LOCKED, true), (.SQLITE_FULL, true), (.SQLITE_READONLY, true),
            (.SQLITE_IOERR, true), (.SQLITE_CANTOPEN, true), (.SQLITE_PERM, true), (.SQLITE_NOMEM, true),
            (.SQLITE_INTERRUPT, true), (.SQLITE_PROTOCOL, true), (.SQLITE_CORRUPT, false), (.SQLITE_NOTADB, false),
            (.SQLITE_CONSTRAINT, false), (.SQLITE_ERROR, false), (.SQLITE_MISUSE, false),
        ] as [(ResultCode, Bool)])
    func mapping(code: ResultCode, isRetryable: Bool) {
        let error = DatabaseError(
            resultCode: code, message: "why", sql: "SELECT ?", arguments: ["secret"], publicStatementArguments: true)
        let mapped = StoreError(error, path: "/tmp/p.db")
        #expect(mapped.isUnavailable == isRetryable)
        #expect(mapped.text.contains("/tmp/p.db"))
        #expect(!mapped.text.contains("secret"))
        #expect(StoreError(StoreError.taken, path: "/tmp/p.db") == .taken)
        #expect(StoreError(CancellationError(), path: "/tmp/p.db").isUnavailable)
    }

    @Test("while another process writes for too long, writes are unavailable and reads continue")
    func busy() async throws {
        let database = try await SQLiteTestDatabase.make()
        let store = try database.openStore(busyTimeout: .milliseconds(30))
        let ann = User(id: UserID(trusted: "u1"), name: "ann")
        try await store.createUser(ann, passwordHash: nil)
        let other = try database.connection()
        try await other.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN IMMEDIATE; UPDATE users SET name = 'x'")
        }
        let error = await #expect(throws: StoreError.self) {
            try await store.setPassword("h", of: ann.id, keeping: nil)
        }
        #expect(error?.isUnavailable == true)
        #expect(error?.text.contains(database.path) == true)
        #expect(try await store.users([ann.id]) == [ann.id: ann])
        try await other.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
        _ = try await store.setPassword("h", of: ann.id, keeping: nil)
        try await database.remove()
    }

    @Test("a batch that fails in the middle leaves nothing, and can be repeated")
    func failingBatch() async throws {
        let database = try await SQLiteTestDatabase.make()
        let store = try database.openStore()
        let ann = User(id: UserID(trusted: "u1"), name: "ann")
        try await store.createUser(ann, passwordHash: nil)
        let room = ThreadID(trusted: "r1")
        _ = try await store.join(ann, roomTitled: "tea", newID: room, at: 1)
        let entries = (1...10).map { seq in
            let message = Message(id: MessageID(trusted: "m\(seq)"), sender: ann, text: "text \(seq)")
            let event = LogEvent(
                thread: room, position: Position(epoch: Epoch("e"), seq: Int64(seq)), milliseconds: 1000,
                messageCount: Int64(seq), body: .message(message))
            return IngestBatch.Entry(offset: "\(seq)", content: .event(event))
        }
        let batch = IngestBatch(partition: Partition(number: 0), incarnation: "i", entries: entries)
        // The tenth row fails through no fault of its own, so the batch must not continue without it.
        let other = try database.connection()
        try await other.write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER no_room BEFORE INSERT ON messages WHEN NEW.seq = 10
                    BEGIN SELECT json('{'); END
                    """)
        }
        await #expect(throws: StoreError.self) { try await store.write(batch) }
        try await other.write { db in try db.execute(sql: "DROP TRIGGER no_room") }
        #expect(try await store.head(of: room) == nil)
        #expect(try await store.checkpoint(of: batch.partition) == nil)
        #expect(try await store.write(batch) == entries.indices.map { .stored(seq: Int64($0 + 1)) })
        try await database.remove()
    }

    @Test("long expired sessions are deleted in parts")
    func purge() async throws {
        let database = try await SQLiteTestDatabase.make()
        let now = Mutex<Int64>(1_000_000)
        let store = try database.openStore(clock: WallClock { now.withLock { $0 } })
        let ann = User(id: UserID(trusted: "u1"), name: "ann")
        try await store.createUser(ann, passwordHash: nil)
        let hashes = (0..<150).map { TokenHash("h\($0)") }
        for (number, hash) in hashes.enumerated() {
            try await store.createSession(AuthSession(tokenHash: hash, user: ann, expires: 1_000_000 + Int64(number)))
        }
        now.withLock { $0 = 1_000_000 + SQLiteStore.sessionGrace + 140 }
        func login(_ name: String) async throws -> Int {
            let hash = TokenHash(name)
            try await store.createSession(AuthSession(tokenHash: hash, user: ann, expires: .max))
            return try await store.sessions(hashes).count
        }
        #expect(try await login("a") == 150 - SQLiteStore.sessionPurgeLimit)
        #expect(try await login("b") == 10)
        #expect(try await login("c") == 10)
        try await database.remove()
    }
}
