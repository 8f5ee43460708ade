import ParleyModel
import ParleyPostgres
import ParleyTestSupport
import Testing

/// Cursors that move while messages are put in before them: each has its number by counting what is there, and a count
/// that is a moment old stays wrong for ever.
@Suite("Read cursors", .timeLimit(.minutes(1)))
struct ReadCountTests {
    private let room = ThreadID(trusted: "r1")
    private let users = (0..<8).map { User(id: UserID(trusted: "u\($0)"), name: "user \($0)") }

    @Test("count right, however they move while messages come late")
    func lateMessages() async throws {
        let seed = UInt64.random(in: 1 ... .max)
        let database = try await PostgresTestDatabase.make()
        let store = try database.openStore()
        for user in users { try await store.createUser(user, passwordHash: nil) }
        for user in users.prefix(6) {
            _ = try await store.joinRoom(titled: "tea", user: user.id, newID: room, at: 1)
        }
        try await withThrowingTaskGroup { group in
            group.addTask {
                // Every second message first, then those between, three at a time.
                let late = stride(from: Int64(1), to: 900, by: 6).map { start in [0, 2, 4].map { start + $0 } }
                let order = [stride(from: Int64(2), through: 900, by: 2).map { $0 }] + late
                for (number, seqs) in order.enumerated() {
                    _ = try await store.write(batch(seqs, number, mark: users[5].id))
                }
            }
            for reader in 1..<5 {
                let other = try database.openStore { $0.connections = 1 }
                group.addTask {
                    var random = SeededGenerator(seed &+ UInt64(reader))
                    for _ in 0..<300 {
                        let seq =
                            Int.random(in: 0..<4, using: &random) == 0 ? nil : Int64.random(in: 0...950, using: &random)
                        try await other.markRead(room, by: users[reader].id, through: seq)
                    }
                }
            }
            let other = try database.openStore { $0.connections = 1 }
            group.addTask {
                for newcomer in 6..<8 {
                    _ = try await other.joinRoom(titled: "tea", user: users[newcomer].id, newID: room, at: 1)
                }
            }
            try await group.waitForAll()
        }
        let wrong = """
            SELECT user_id, read_seq, read_n, counted FROM members CROSS JOIN LATERAL (
                SELECT count(*) AS counted FROM messages
                WHERE messages.thread_id = members.thread_id AND seq <= read_seq) AS c
            WHERE read_n IS NOT NULL AND read_n <> counted
            """
        #expect(try await database.server.psql(wrong, database: database.name) == "", "seed \(seed)")
        let numbers = "SELECT count(*), max(n), sum(n - seq), (SELECT head_n FROM threads) FROM messages"
        #expect(try await database.server.psql(numbers, database: database.name) == "900|900|0|900", "seed \(seed)")
        try await database.remove()
    }

    /// Messages of these seqs, and a mark in the middle of them.
    private func batch(_ seqs: [Int64], _ number: Int, mark user: UserID) -> IngestBatch {
        var contents: [IngestBatch.Entry.Content] = seqs.map { seq in
            let message = Message(id: MessageID(trusted: "m\(seq)"), sender: users[0], text: "text \(seq)")
            return .event(
                LogEvent(
                    thread: room, position: Position(epoch: Epoch("e"), seq: seq), milliseconds: 1000, messageCount: 0,
                    body: .message(message)))
        }
        contents.insert(.readMark(ReadMark(thread: room, user: user, seq: seqs[1])), at: 1)
        let entries = contents.enumerated().map { IngestBatch.Entry(offset: "\(number)-\($0)", content: $1) }
        return IngestBatch(partition: Partition(number: 0), incarnation: "i", entries: entries)
    }
}
