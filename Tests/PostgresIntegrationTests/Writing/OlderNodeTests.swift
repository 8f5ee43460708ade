import ParleyModel
import ParleyPostgres
import ParleyTestSupport
import Testing

/// Nodes of the previous version, whose statements ignore schema step 6, writing beside those of this version.
@Suite("Nodes of the previous version", .timeLimit(.minutes(5)))
struct OlderNodeTests {
    private let ann = User(id: UserID(trusted: "ann"), name: "ann")
    private let room = ThreadID(trusted: "r1")

    private func event(_ body: LogEvent.Body, seq: Int64, in thread: ThreadID? = nil) -> LogEvent {
        LogEvent(
            thread: thread ?? room, position: Position(epoch: Epoch("e"), seq: seq), milliseconds: 1000,
            messageCount: 0, body: body)
    }

    private func message(_ text: String, id: String, clientID: String) -> Message {
        Message(id: MessageID(trusted: id), sender: ann, text: text, clientID: clientID)
    }

    private func batch(_ events: [LogEvent], _ offset: String, partition: Int = 0) -> IngestBatch {
        let entries = events.enumerated().map {
            IngestBatch.Entry(offset: "\(offset)-\($0.offset)", content: .event($0.element))
        }
        return IngestBatch(partition: Partition(number: partition), incarnation: "i", entries: entries)
    }

    @Test("their sends are first uses, and their deletions leave no digest")
    func statements() async throws {
        let database = try await PostgresTestDatabase.make()
        let store = try database.openStore()
        try await store.createUser(ann, passwordHash: nil)
        try await store.importRoom("tea", id: room, members: [ann])
        // The statements of version 4.
        try await database.execute(
            """
            INSERT INTO messages (thread_id, seq, id, epoch, date_ms, n, sender_id, sender_name, client_id, text, parts,
                reply_to, is_erased)
            SELECT thread_id, seq, id, epoch, date_ms, n, sender_id, sender_name, client_id, text, parts, reply_to, false
            FROM (VALUES ('r1', 1::bigint, 'm1', 'e', 1::bigint, 1::bigint, 'ann', 'ann', 'c1', 'one', NULL, NULL::bigint),
                ('r1', 2, 'm2', 'e', 1, 2, 'ann', 'ann', 'c2', 'two', NULL, NULL))
                AS new (thread_id, seq, id, epoch, date_ms, n, sender_id, sender_name, client_id, text, parts, reply_to)
            """)
        try await database.execute(
            "UPDATE threads SET epoch = 'e', head_seq = 2, head_n = 2, head_ms = 1, last_message_seq = 2 WHERE id = 'r1'"
        )
        try await database.execute(
            """
            INSERT INTO ingest_rejects (partition, incarnation, stream_offset, reason, bytes, rejected_ms)
            VALUES (0, 'i', 'x', 'why', '', 1)
            """)
        try await database.execute("UPDATE members SET read_seq = 1, read_n = 1 WHERE thread_id = 'r1'")
        // A session without a key, as in an older version.
        try await database.execute(
            "UPDATE messages SET text = '', first_text = NULL, parts = NULL, deleted_ms = 5 WHERE seq = 2")

        let queries = [("one", "c1"), ("other", "c1"), ("two", "c2")].map { text, clientID in
            SendQuery(thread: room, message: message(text, id: "asked", clientID: clientID))
        }
        #expect(try await store.sends(queries).map { $0?.isSame } == [true, false, false])
        let outcomes = try await store.write(
            batch(
                [
                    event(.message(message("one", id: "m3", clientID: "c1")), seq: 3),
                    event(.message(message("other", id: "m4", clientID: "c1")), seq: 4),
                    event(.message(message("two", id: "m5", clientID: "c2")), seq: 5),
                ], "1"))
        #expect(outcomes == [.repeated(seq: 1), .stored(seq: 4), .stored(seq: 5)])
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
                    let said = message("text", id: "m\(number)", clientID: "c\(number)")
                    let one = batch(
                        [event(.message(said), seq: Int64(number), in: thread)], "\(number)", partition: partition)
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
