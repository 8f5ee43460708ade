import Foundation
import GRDB
import ParleyModel
import ParleySQLite
import ParleyStorage
import ParleyTestContracts
import Testing

@Suite("Deleted texts are gone from the disk")
struct SQLiteWALTests {
    private static let room = ThreadID(trusted: "r1")
    private static let ann = User(id: UserID(trusted: "u1"), name: "ann")
    private static let secret = "Nobody Shall Find This"

    @Test("a deleted text is neither in the file nor in the WAL once that is truncated")
    func deleted() async throws {
        let (database, store) = try await Self.databaseWithSecret()
        #expect(try Self.isOnDisk(Self.secret, database))
        #expect(try await store.emptyWAL())
        #expect(try Self.isOnDisk(Self.secret, database), "it is not deleted yet")
        try await Self.delete(from: store)
        #expect(try Self.isOnDisk(Self.secret, database))
        #expect(try await store.emptyWAL())
        #expect(try !Self.isOnDisk(Self.secret, database))
        try await database.remove()
    }

    @Test("the texts of an erased user are gone too")
    func erased() async throws {
        let (database, store) = try await Self.databaseWithSecret()
        #expect(try await store.emptyWAL())
        _ = try await store.eraseUser(Self.ann.id, at: 2)
        try await store.finishCleanups()
        #expect(try await store.emptyWAL())
        #expect(try !Self.isOnDisk(Self.secret, database))
        try await database.remove()
    }

    @Test("a process truncates the WAL at its start, and later only after deletions")
    func start() async throws {
        let (database, store) = try await Self.databaseWithSecret()
        try await Self.delete(from: store)
        let next = try database.openStore()
        #expect(try await next.emptyWAL())
        #expect(try !Self.isOnDisk(Self.secret, database))
        let message = Message(id: MessageID(trusted: "m3"), sender: Self.ann, text: "stays")
        _ = try await next.write(Samples.batch([Self.event(3, .message(message))], firstOffset: 3))
        let bytes = try Self.bytes(database.path + "-wal").count
        #expect(bytes > 0)
        #expect(try await next.emptyWAL())
        #expect(try Self.bytes(database.path + "-wal").count == bytes)
        try await database.remove()
    }

    @Test("a long read postpones it and is not waited for")
    func reader() async throws {
        let (database, store) = try await Self.databaseWithSecret()
        let reader = try database.connection()
        try await reader.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN")
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM messages")
        }
        try await Self.delete(from: store)
        #expect(try await !store.emptyWAL())
        try await reader.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
        #expect(try await store.emptyWAL())
        #expect(try !Self.isOnDisk(Self.secret, database))
        try await database.remove()
    }

    // MARK: Helpers

    private static func databaseWithSecret() async throws -> (SQLiteTestDatabase, SQLiteStore) {
        let database = try await SQLiteTestDatabase.make()
        let store = try database.openStore()
        try await store.createUser(ann, passwordHash: nil)
        _ = try await store.join(ann, roomTitled: "tea", newID: room, at: 1)
        let message = Message(id: MessageID(trusted: "m1"), sender: ann, text: secret)
        _ = try await store.write(Samples.batch([event(1, .message(message))]))
        return (database, store)
    }

    private static func delete(from store: SQLiteStore) async throws {
        let deletion = MessageDeletion(messageID: MessageID(trusted: "m1"), messageSeq: 1, by: ann.id)
        _ = try await store.write(Samples.batch([event(2, .deleted(deletion))], firstOffset: 2))
    }

    private static func event(_ seq: Int64, _ body: LogEvent.Body) -> LogEvent {
        LogEvent(
            thread: room, position: Position(epoch: Epoch("e"), seq: seq), milliseconds: seq, messageCount: 1,
            body: body)
    }

    private static func isOnDisk(_ text: String, _ database: SQLiteTestDatabase) throws -> Bool {
        try ["", "-wal"].contains { try bytes(database.path + $0).firstRange(of: Data(text.utf8)) != nil }
    }

    private static func bytes(_ path: String) throws -> Data {
        try Data(contentsOf: URL(filePath: path))
    }
}
