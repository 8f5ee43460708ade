import ParleyModel
import ParleyPostgres
import ParleyTestContracts
import ParleyTestSupport
import Testing

/// First and later uses of `client_id`s, whose uniqueness the index of hashes decides.
@Suite("The uses of a client_id", .timeLimit(.minutes(5)))
struct ClientIDTests {
    private let ann = User(id: UserID(trusted: "ann"), name: "ann")
    private let room = ThreadID(trusted: "r1")

    private func event(_ message: Message, seq: Int64, in thread: ThreadID? = nil) -> LogEvent {
        LogEvent(
            thread: thread ?? room, position: Position(epoch: Epoch("e"), seq: seq), milliseconds: 1000 + seq,
            messageCount: 0, body: .message(message))
    }

    private func message(_ id: String, _ clientID: String?, _ text: String) -> Message {
        Message(id: MessageID(trusted: id), sender: ann, text: text, clientID: clientID)
    }

    private func batch(_ events: [LogEvent], partition: Int = 0) -> IngestBatch {
        let entries = events.map {
            IngestBatch.Entry(offset: "\($0.message?.id.text ?? "")-\($0.position.seq)", content: .event($0))
        }
        return IngestBatch(partition: Partition(number: partition), incarnation: "i", entries: entries)
    }

    private func write(_ messages: [(Message, Int64)], to store: PostgresStore) async throws -> [StoreOutcome] {
        try await store.write(batch(messages.map { event($0.0, seq: $0.1) }))
    }

    /// All messages of ann by `export`, in pages of three.
    private func exported(_ store: PostgresStore) async throws -> [String] {
        var (ids, place): ([String], ExportPlace?) = ([], nil)
        repeat {
            let page = try await store.export(of: ann.id, after: place, limit: 3)
            ids += page.messages.compactMap { $0.message?.id.text }
            place = page.next
        } while place != nil
        return ids
    }

    /// Two `client_id`s with one hash; a sender finds such in a second.
    private static let colliding = ["collision-01MCbrXYwUwl23", "YtwD1KGJDzTrvy301c9o08mZ"]

    @Test("client_ids that collide are stored, and each is recognised again")
    func collisions() async throws {
        let database = try await PostgresTestDatabase.make()
        let store = try database.openStore()
        try await store.createUser(ann, passwordHash: nil)
        try await store.importRoom("tea", id: room, members: [ann])
        let said = Self.colliding.enumerated().map { message("m\($0.offset)", $0.element, "text") }
        // In one batch, and again later.
        #expect(try await write([(said[0], 1), (said[1], 2)], to: store) == [.stored(seq: 1), .stored(seq: 2)])
        let again = Self.colliding.enumerated().map { message("a\($0.offset)", $0.element, "text") }
        #expect(try await write([(again[1], 3), (again[0], 4)], to: store) == [.repeated(seq: 2), .repeated(seq: 1)])
        let other = message("o1", Self.colliding[1], "other")
        #expect(try await write([(other, 5)], to: store) == [.stored(seq: 5)])
        let queries = again.map { SendQuery(thread: room, message: $0) }
        #expect(try await store.sends(queries).map { $0?.receipt.position.seq } == [1, 2])
        #expect(try await store.sends(queries).map { $0?.isSame } == [true, true])
        #expect(try await Set(exported(store)) == ["m0", "m1", "o1"])
        try await database.remove()
    }

    @Test("two partitions that store one client_id concurrently keep both rows and one first use")
    func twoPartitions() async throws {
        let database = try await PostgresTestDatabase.make()
        let store = try database.openStore()
        try await store.createUser(ann, passwordHash: nil)
        let rooms = [ThreadID(trusted: "r1"), ThreadID(trusted: "r2")]
        for thread in rooms {
            try await store.importRoom(thread.text, id: thread, members: [ann])
        }
        let others = [try database.openStore(), try database.openStore()]
        for number in 1...30 {
            let outcomes = try await withThrowingTaskGroup { group in
                for (partition, thread) in rooms.enumerated() {
                    let said = message("m\(number)", "c\(number)", "text")
                    let one = batch([event(said, seq: Int64(number), in: thread)], partition: partition)
                    group.addTask { try await others[partition].write(one) }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(outcomes == [.stored(seq: Int64(number)), .stored(seq: Int64(number))])
        }
        #expect(try await database.number("SELECT count(*) FROM messages") == 60)
        #expect(try await database.number("SELECT count(*) FROM messages WHERE client_id IS NOT NULL") == 30)
        #expect(try await database.number("SELECT count(*) FROM later_sends") == 30)
        try await database.remove()
    }
}
