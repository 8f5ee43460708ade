import ParleyModel
import ParleyPostgres
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

/// Moves cursors while messages are inserted below the head. Each cursor gets its number by counting messages, and a
/// stale count would stay wrong permanently.
@Suite("Read cursors", .timeLimit(.minutes(5)))
struct ReadCountTests {
    private let room = ThreadID(trusted: "r1")
    private let ann = User(id: UserID(trusted: "ann"), name: "ann")
    private let readers = (0..<200).map { User(id: UserID(trusted: "u\($0)"), name: "user \($0)") }
    private let newcomers = (0..<50).map { User(id: UserID(trusted: "n\($0)"), name: "newcomer \($0)") }

    @Test("the counts are right, however cursors move while messages are inserted")
    func lateMessages() async throws {
        let database = try await PostgresTestDatabase.make()
        let store = try database.openStore()
        for user in [ann] + readers + newcomers { try await store.createUser(user, passwordHash: nil) }
        try await store.importRoom("tea", id: room, members: [ann] + readers)
        // Every second message first; those between follow, three at a time, while cursors move.
        _ = try await store.write(batch(stride(from: Int64(2), through: 2_000, by: 2).map { $0 }, 0))
        try await withThrowingTaskGroup { group in
            for part in 0..<4 {
                let other = try database.openStore { $0.connections = 1 }
                group.addTask {
                    // Each cursor only once, since a later mark would correct an earlier one.
                    for reader in stride(from: part, to: readers.count, by: 4) {
                        try await other.markRead(
                            room, by: readers[reader].id, through: reader % 3 == 0 ? nil : Int64(2_000 - reader))
                        // Four at once.
                        _ = try await other.join(newcomers[reader / 4], roomTitled: "tea", newID: room, at: 1)
                    }
                }
            }
            let late = Task {
                var batches = 0
                while !Task.isCancelled, batches < 330 {
                    batches += 1
                    let seqs = [0, 2, 4].map { Int64(batches * 6 - 5 + $0) }
                    _ = try await store.write(batch(seqs, batches))
                }
                return batches
            }
            try await group.waitForAll()
            late.cancel()
            #expect(try await late.value > 1)
        }
        let wrong = """
            SELECT count(*), (SELECT count(*) FROM members) FROM members CROSS JOIN LATERAL (
                SELECT count(*) AS counted FROM messages
                WHERE messages.thread_id = members.thread_id AND seq <= read_seq) AS c
            WHERE read_n IS NOT NULL AND read_n <> counted
            """
        #expect(try await database.server.psql(wrong, database: database.name) == "0|251")
        let numbers = """
            SELECT count(*) - max(n), count(*) - (SELECT head_n FROM threads), count(*) - count(DISTINCT n) FROM messages
            """
        #expect(try await database.server.psql(numbers, database: database.name) == "0|0|0")
        try await database.remove()
    }

    private func batch(_ seqs: [Int64], _ number: Int) -> IngestBatch {
        let entries = seqs.map { seq in
            let message = Message(id: MessageID(trusted: "m\(seq)"), sender: ann, text: "text \(seq)")
            let event = LogEvent(
                thread: room, position: Position(epoch: Epoch("e"), seq: seq), milliseconds: 1000, messageCount: 0,
                body: .message(message))
            return IngestBatch.Entry(offset: "\(number)-\(seq)", content: .event(event))
        }
        return IngestBatch(partition: Partition(number: 0), incarnation: "i", entries: entries)
    }
}
