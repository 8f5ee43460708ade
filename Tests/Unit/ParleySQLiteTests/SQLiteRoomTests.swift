import GRDB
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Synchronization
import Testing

@Suite("A SQLite file that cannot grow")
struct SQLiteRoomTests {
    /// What the store has told, in order.
    private final class Told: Sendable {
        private let texts = Mutex<[String?]>([])

        var all: [String?] { texts.withLock { $0 } }

        func note(_ text: String?) { texts.withLock { $0.append(text) } }
    }

    private let ann = User(id: UserID(trusted: "u1"), name: "ann")
    private let room = ThreadID(trusted: "r1")

    private func batch(_ number: Int, bytes: Int = 50_000) -> IngestBatch {
        let message = Message(
            id: MessageID(trusted: "m\(number)"), sender: ann, text: String(repeating: "x", count: bytes))
        let event = LogEvent(
            thread: room, position: Position(epoch: Epoch("e"), seq: Int64(number)), milliseconds: 1000,
            messageCount: Int64(number), body: .message(message))
        return IngestBatch(
            partition: Partition(number: 0), incarnation: "i",
            entries: [IngestBatch.Entry(offset: "\(number)", content: .event(event))])
    }

    /// Keeps the file from growing, or lets it grow again.
    private func limitPages(of store: SQLiteStore, toPresent isLimited: Bool) async throws {
        try await store.pool.writeWithoutTransaction { db in
            let count = isLimited ? try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 1 : 0xFFFF_FFFE
            try db.execute(sql: "PRAGMA max_page_count = \(count)")
        }
    }

    @Test("writes are unavailable, which is told once and fails the check, until there is room again")
    func full() async throws {
        let told = Told()
        let database = try await SQLiteTestDatabase.make()
        let store = try database.openStore(writability: told.note)
        try await store.createUser(ann, passwordHash: nil)
        _ = try await store.join(ann, roomTitled: "tea", newID: room, at: 1)
        #expect(try await store.write([batch(1)]) == [[.stored(seq: 1)]])
        await store.recheckWrites()
        #expect(told.all.isEmpty)
        try await limitPages(of: store, toPresent: true)
        for _ in 0..<3 {
            let error = await #expect(throws: StoreError.self) { try await store.write([batch(2)]) }
            #expect(error?.isUnavailable == true)
            #expect(error?.text.contains("no room left") == true, "\(String(describing: error))")
        }
        #expect(told.all.count == 1 && told.all[0]?.contains(database.path) == true)
        await #expect(throws: StoreError.self) { try await store.check() }
        // What needs no more room is not enough.
        try await store.markRead(room, by: ann.id, through: 0)
        await store.recheckWrites()
        await #expect(throws: StoreError.self) { try await store.check() }
        // Reading continues.
        #expect(try await store.head(of: room)?.position.seq == 1)
        try await limitPages(of: store, toPresent: false)
        await store.recheckWrites()
        try await store.check()
        #expect(told.all.count == 2 && told.all.last == .some(nil))
        #expect(try await store.write([batch(2)]) == [[.stored(seq: 2)]])
        #expect(try await database.number("SELECT count(*) FROM sqlite_master WHERE name = 'parley_room'") == 0)
        try await database.remove()
    }

    @Test("a writer of another process is no reason")
    func busy() async throws {
        let told = Told()
        let database = try await SQLiteTestDatabase.make()
        let store = try database.openStore(busyTimeout: .milliseconds(30), writability: told.note)
        let other = try database.connection()
        try await other.writeWithoutTransaction { db in try db.execute(sql: "BEGIN IMMEDIATE; DELETE FROM users") }
        await #expect(throws: StoreError.self) { try await store.createUser(ann, passwordHash: nil) }
        try await store.check()
        #expect(told.all.isEmpty)
        try await other.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
        try await database.remove()
    }
}
