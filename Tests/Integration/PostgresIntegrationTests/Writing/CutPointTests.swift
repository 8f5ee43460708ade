import ParleyModel
import ParleyPostgres
import ParleyTestContracts
import ParleyTestSupport
import Testing

/// Two persisters that read one partition at the same time, as when one has lost it and has not noticed yet.
@Suite("Two writers of one partition", .serialized, .timeLimit(.minutes(5)))
struct CutPointTests {
    private let users = (1...3).map { User(id: UserID(trusted: "u\($0)"), name: "user \($0)") }
    private let rooms = (1...4).map { ThreadID(trusted: "r\($0)") }

    @Test("two writers store everything once, whatever their batches", arguments: 1...4)
    func cutPoints(run: UInt64) async throws {
        let seed = run == 4 ? UInt64.random(in: 4 ... .max) : run
        let entries = entries(seed: seed)
        let alone = try await PostgresTestDatabase.make()
        let store = try await prepare(alone)
        try await write(entries, to: store, cuts: 40, seed: seed)

        let shared = try await PostgresTestDatabase.make()
        _ = try await prepare(shared)
        try await withThrowingTaskGroup { group in
            for writer in 0..<3 {
                let store = try shared.openStore()
                group.addTask {
                    try await write(entries, to: store, cuts: [3, 17, 60][writer], seed: seed + UInt64(writer))
                }
            }
            try await group.waitForAll()
        }
        // And once more from the beginning, as after a crash that lost the checkpoint.
        let other = try shared.openStore()
        try await write(entries, to: other, cuts: 25, seed: seed)

        for thread in rooms + [ThreadInfo.directID(users[0].id, users[1].id)] {
            let (one, two) = (try await page(store, thread), try await page(other, thread))
            #expect(one == two, "seed \(seed), \(thread)")
            #expect(one.count > 10, "seed \(seed), \(thread)")
            #expect(two.map(\.messageCount) == (1...Int64(two.count)).reversed(), "seed \(seed), \(thread)")
            #expect(try await store.head(of: thread) == other.head(of: thread), "seed \(seed), \(thread)")
        }
        // The last user has read marks, which may move a cursor again when they are written again.
        for user in users.prefix(2) {
            #expect(try await store.inbox(of: user.id) == other.inbox(of: user.id), "seed \(seed), \(user)")
        }
        let rejects = try await alone.rejects()
        #expect(try await shared.rejects().count == rejects.count, "seed \(seed)")
        #expect(!rejects.isEmpty, "seed \(seed)")
        #expect(try await store.checkpoint(of: partition) == other.checkpoint(of: partition), "seed \(seed)")
        try await alone.remove()
        try await shared.remove()
    }

    private let partition = Partition(number: 9)

    private func prepare(_ database: PostgresTestDatabase) async throws -> PostgresStore {
        let store = try database.openStore()
        for user in users { try await store.createUser(user, passwordHash: nil) }
        for room in rooms {
            try await store.importRoom(room.text, id: room, members: users)
        }
        return store
    }

    private func page(_ store: PostgresStore, _ thread: ThreadID) async throws -> [LogEvent] {
        try await store.messages(in: thread, MessageQuery(limit: 10_000)).messages
    }

    /// Writes the whole stream in batches of 1 to `cuts` entries.
    private func write(
        _ entries: [IngestBatch.Entry], to store: PostgresStore, cuts: Int, seed: UInt64
    ) async throws {
        var random = SeededGenerator(seed)
        var rest = entries[...]
        while !rest.isEmpty {
            let part = rest.prefix(Int.random(in: 1...cuts, using: &random))
            rest = rest.dropFirst(part.count)
            let batch = IngestBatch(partition: partition, incarnation: "i", entries: Array(part))
            let outcomes = try await store.write(batch)
            #expect(outcomes.count == part.count, "seed \(seed)")
        }
    }

    /// A stream with every special case: late events, sends and seqs used twice, unreadable entries, read marks.
    private func entries(seed: UInt64) -> [IngestBatch.Entry] {
        var random = SeededGenerator(seed)
        var heads: [ThreadID: Int64] = [:]
        var contents: [IngestBatch.Entry.Content] = []
        var late: [IngestBatch.Entry.Content] = []
        func event(_ body: LogEvent.Body, in thread: ThreadID, at seq: Int64) -> IngestBatch.Entry.Content {
            .event(
                LogEvent(
                    thread: thread, position: Position(epoch: Epoch("e"), seq: seq), milliseconds: 1000 * seq,
                    messageCount: 0, body: body))
        }
        for number in 0..<400 {
            let isDirect = number % 7 == 0
            let sender = isDirect ? users[number % 2] : users[Int.random(in: 0..<2, using: &random)]
            let thread = isDirect ? ThreadInfo.directID(users[0].id, users[1].id) : rooms[number % rooms.count]
            let message = Message(
                id: MessageID(trusted: "m\(number)"), sender: sender, text: "text \(number)",
                clientID: number % 11 == 0 ? "c\(number / 33)" : nil,
                recipient: isDirect ? users[(number + 1) % 2] : nil)
            var seq = heads[thread, default: 0] + 1
            if number % 13 == 0 { seq = max(1, seq - 2) }
            heads[thread] = max(seq, heads[thread, default: 0])
            let content = event(.message(message), in: thread, at: seq)
            if number % 17 == 0 { late.append(content) } else { contents.append(content) }
            if number % 23 == 0, let one = late.popLast() { contents.append(one) }
            if number % 29 == 0 { contents.append(.unreadable(reason: "garbage", bytes: [UInt8(number % 256)])) }
            if number % 31 == 0 { contents.append(event(.joined(sender), in: ThreadID(trusted: "nowhere"), at: 1)) }
            if number % 19 == 0 {
                let seq = Bool.random(using: &random) ? nil : heads[thread]
                contents.append(.readMark(ReadMark(thread: thread, user: users[2].id, seq: seq)))
            }
        }
        return contents.enumerated().map { IngestBatch.Entry(offset: "\($0.offset)", content: $0.element) }
    }
}
