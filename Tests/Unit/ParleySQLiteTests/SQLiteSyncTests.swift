import Foundation
import GRDB
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Testing

/// A commit whose sync fails is in the WAL nevertheless, and a start after a crash takes it for committed.
@Suite("Commits of which it is not known whether they are on the disk")
struct SQLiteSyncTests {
    private let ann = User(id: UserID(trusted: "u1"), name: "ann")
    private let room = ThreadID(trusted: "r1")

    private func batch(_ seq: Int64, _ text: String) -> IngestBatch {
        let message = Message(id: MessageID(trusted: text), sender: ann, text: text)
        let event = LogEvent(
            thread: room, position: Position(epoch: Epoch("e"), seq: seq), milliseconds: 1000, messageCount: seq,
            body: .message(message))
        return IngestBatch(
            partition: Partition(number: 0), incarnation: "i",
            entries: [IngestBatch.Entry(offset: text, content: .event(event))])
    }

    private func store(of database: SQLiteTestDatabase) async throws -> SQLiteStore {
        #expect(FailingSyncs.isInstalled)
        let store = try database.openStore()
        try await store.migrate()
        try await store.createUser(ann, passwordHash: nil)
        _ = try await store.join(ann, roomTitled: "tea", newID: room, at: 1)
        #expect(try await store.write([batch(1, "first")]) == [[.stored(seq: 1)]])
        return store
    }

    /// The texts and the users that a process finds that starts after a crash.
    private func afterCrash(_ database: SQLiteTestDatabase) throws -> [String] {
        let directory = FileManager.default.temporaryDirectory.appending(path: "parley-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let copy = directory.appending(path: "copy.db").path
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: database.path + suffix, toPath: copy + suffix)
        }
        let queue = try DatabaseQueue(path: copy)
        defer { try? queue.close() }
        return try queue.read { db in
            try String.fetchAll(db, sql: "SELECT text FROM messages ORDER BY seq")
                + String.fetchAll(db, sql: "SELECT name FROM users WHERE id > 'u1' ORDER BY id")
        }
    }

    @Test("what was refused after a failed sync is not found after a crash")
    func settled() async throws {
        let database = try SQLiteTestDatabase()
        let store = try await store(of: database)
        // The disk recovers by itself: only the first sync fails.
        FailingSyncs.fail(1, forDatabase: database.path)
        let error = await #expect(throws: StoreError.self) { try await store.write([batch(2, "refused")]) }
        #expect(error?.isUnavailable == true, "\(String(describing: error))")
        #expect(try afterCrash(database) == ["first"])
        FailingSyncs.fail(1, forDatabase: database.path)
        await #expect(throws: StoreError.self) {
            try await store.createUser(User(id: UserID(trusted: "u2"), name: "bob"), passwordHash: nil)
        }
        #expect(try afterCrash(database) == ["first"])
        try await store.check()
        #expect(try await store.write([batch(2, "second")]) == [[.stored(seq: 2)]])
        #expect(try afterCrash(database) == ["first", "second"])
        try await database.remove()
    }

    @Test("while the disk fails, a crash may bring back what was refused, but no number has two meanings")
    func unsettled() async throws {
        let database = try SQLiteTestDatabase()
        let store = try await store(of: database)
        FailingSyncs.fail(.max, forDatabase: database.path)
        for _ in 0..<2 {
            await #expect(throws: StoreError.self) { try await store.write([batch(2, "refused")]) }
        }
        await #expect(throws: StoreError.self) { try await store.check() }
        #expect(try await store.head(of: room)?.position.seq == 1)
        #expect(["first", "first refused"].contains(try afterCrash(database).joined(separator: " ")))
        await store.recheckWrites()
        await #expect(throws: StoreError.self) { try await store.check() }
        FailingSyncs.fail(0, forDatabase: database.path)
        await store.recheckWrites()
        try await store.check()
        #expect(try afterCrash(database) == ["first"])
        #expect(try await store.write([batch(2, "second")]) == [[.stored(seq: 2)]])
        #expect(try afterCrash(database) == ["first", "second"])
        try await database.remove()
    }
}
