import Foundation
import ParleyModel
import ParleyPostgres
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

/// What a stored message costs; run by
/// `PARLEY_MEASURE=1 swift test -c release --no-color-diagnostics --filter WriterMeasurement`.
///
/// Batches of new messages of 54 characters, round robin over 200 rooms, are written by `PostgresStore.write`, with as
/// many concurrent writers as there are partitions in use. The server waits for its disk at each commit, as by default.
@Suite("Measurement", .enabled(if: ProcessInfo.processInfo.environment["PARLEY_MEASURE"] != nil), .serialized)
struct WriterMeasurement {
    @Test("the batch writer", arguments: [(100, 1), (1000, 1), (1000, 4)])
    func writer(size: Int, writers: Int) async throws {
        let server = try await PostgresServer.start(settings: ["fsync=on", "full_page_writes=on"])
        let database = try await PostgresTestDatabase(on: server)
        let store = try database.openStore()
        try await store.migrate()
        let ann = User(id: UserID(trusted: "ann"), name: "ann")
        try await store.createUser(ann, passwordHash: nil)
        let rooms = (0..<200).map { ThreadID(trusted: "room\($0)") }
        for room in rooms { try await store.importRoom(room.text, id: room, members: [ann]) }
        let total = 200_000
        let batches = (0..<writers).map { writer in
            let own = rooms.indices.filter { $0 % writers == writer }.map { rooms[$0] }
            return Self.batches(of: size, total / writers, writer: writer, rooms: own, sender: ann)
        }

        let (client, begun) = (Self.processSeconds(), ContinuousClock.now)
        let before = try Self.serverSeconds(server)
        try await withThrowingTaskGroup { group in
            for batches in batches {
                group.addTask { for batch in batches { _ = try await store.write(batch) } }
            }
            try await group.waitForAll()
        }
        let elapsed = begun.duration(to: .now) / .seconds(1)
        let (ours, theirs) = (Self.processSeconds() - client, try Self.serverSeconds(server) - before)
        print(
            """
            \(writers) writer(s), batches of \(size): \(Int(Double(total) / elapsed)) rows/s, \
            \(Int(Double(total) / ours)) rows per CPU second of the store, \
            \(Int(Double(total) / theirs)) of PostgreSQL
            """)
        #expect(try await server.psql("SELECT count(*) FROM messages", database: database.name) == "\(total)")
        await store.close()
        try await server.stop()
    }

    private static func batches(
        of size: Int, _ count: Int, writer: Int, rooms: [ThreadID], sender: User
    ) -> [IngestBatch] {
        stride(from: 0, to: count, by: size).map { start in
            let entries = (start..<min(start + size, count)).map { number in
                let seq = Int64(number / rooms.count + 1)
                let message = Message(
                    id: MessageID(UUIDv7(.system)), sender: sender,
                    text: "a message of about the length that people write to each", clientID: "c\(writer)-\(number)")
                let event = LogEvent(
                    thread: rooms[number % rooms.count], position: Position(epoch: Epoch("e"), seq: seq),
                    milliseconds: 1_700_000_000_000 + seq, messageCount: seq, body: .message(message))
                return IngestBatch.Entry(offset: "\(number)", content: .event(event))
            }
            return IngestBatch(partition: Partition(number: writer), incarnation: "i", entries: entries)
        }
    }

    private static func processSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The CPU time of the current processes; the store's sessions last as long as the store.
    private static func serverSeconds(_ server: PostgresServer) throws -> Double {
        guard let postmaster = server.pid else { return 0 }
        let pids = [postmaster] + PostgresProcesses(postmaster: postmaster).children()
        return try pids.reduce(0) { sum, pid in
            let text = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
            let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
            guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return sum }
            return sum + (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        }
    }
}
