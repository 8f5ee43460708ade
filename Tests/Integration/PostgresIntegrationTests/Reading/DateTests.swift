import ParleyPostgres
import ParleyTestSupport
import Testing

@Suite("The seq of a date", .timeLimit(.minutes(5)))
struct DateTests {
    private let thread = Parameter.text("t")

    /// A database with messages at these seqs and dates, between those of other threads.
    private func database(_ messages: [(seq: Int64, date: Int64)]) async throws -> PostgresTestDatabase {
        let database = try await PostgresTestDatabase.make()
        try database.connection().run(
            ["s", "t", "u"].flatMap { thread in
                messages.map {
                    Statement(
                        """
                        INSERT INTO messages (thread_id, seq, id, epoch, date_ms, n, sender_id, sender_name, text)
                        VALUES ('\(thread)', \($0.seq), 'm\($0.seq)', 'e', \(thread == "t" ? $0.date : 7), 1, 'a', 'a', '')
                        """, isKept: false)()
                }
            })
        return database
    }

    private func seqs(_ date: Int64, _ connection: PostgresConnection) throws -> [Int64?] {
        try [DateQueries.lastSeqBefore, DateQueries.lastSeqUpTo, DateQueries.firstSeqFrom].map { query in
            try connection.run(query(thread, .int(date))).first
        }
    }

    @Test("gaps, equal dates and the ends", arguments: [0, 1, 2, 3, 17, 40])
    func ordered(count: Int) async throws {
        var generator = SeededGenerator(UInt64(count))
        var messages: [(seq: Int64, date: Int64)] = []
        for _ in 0..<count {
            // Some gaps are larger than all that precedes them.
            let gap = Int64.random(in: 1...3, using: &generator) == 3 ? Int64.random(in: 1...90, using: &generator) : 1
            let step = Int64.random(in: 0...3, using: &generator)
            messages.append(((messages.last?.seq ?? 0) + gap, (messages.last?.date ?? 10) + step))
        }
        let database = try await database(messages)
        let connection = try database.connection()
        let last = messages.last?.date ?? 10
        for date in [Int64.min, 0] + Array(9...(last + 2)) + [Int64.max] {
            let expected = [
                messages.last { $0.date < date }?.seq, messages.last { $0.date <= date }?.seq,
                messages.first { $0.date >= date }?.seq,
            ]
            #expect(try seqs(date, connection) == expected, "\(date) in \(messages)")
        }
        try await database.remove()
    }

    @Test("seqs as far apart as JavaScript's integers allow")
    func sparse() async throws {
        let database = try await database([(1, 10), (1 << 40, 20), (1 << 53, 30)])
        let connection = try database.connection()
        #expect(try seqs(20, connection) == [1, 1 << 40, 1 << 40])
        #expect(try seqs(31, connection) == [1 << 53, 1 << 53, nil])
        try await database.remove()
    }

    @Test("dates that are stored out of order still give a place between an earlier and a later one")
    func unordered() async throws {
        let dates: [Int64] = [10, 30, 20, 40, 15, 50, 45, 60]
        let database = try await database(dates.enumerated().map { (Int64($0.offset) + 1, $0.element) })
        let connection = try database.connection()
        for date in Int64(9)...61 {
            let found = try seqs(date, connection)
            let place = Int(found[0] ?? 0)
            #expect(place == 0 || dates[place - 1] < date)
            #expect(place == dates.count || dates[place] >= date)
            #expect(found[2] == (place == dates.count ? nil : Int64(place) + 1))
        }
        try await database.remove()
    }
}
