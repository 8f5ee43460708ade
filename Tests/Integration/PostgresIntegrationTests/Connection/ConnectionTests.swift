import ParleyModel
import ParleyPostgres
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("A PostgreSQL connection", .serialized)
struct ConnectionTests {
    private static let texts = ["", "a", "\u{1}\t\n\"'\\{}$1", "漢字 👩‍👩‍👧‍👦 e\u{301}", String(repeating: "x", count: 100_000)]
    private static let ints: [Int64] = [0, 1, -1, 255, 256, -32_769, .max, .min]

    @Test("values of every type are returned as sent")
    func values() async throws {
        let database = try await PostgresTestDatabase.make()
        let connection = try database.connection()
        let one = Statement("SELECT $1::text, $2::bigint, $3::bytea")
        for (text, int) in zip(Self.texts + [nil], Self.ints + [nil]) {
            let bytes = (text ?? "").utf8.map { ~$0 }
            let row = try #require(try connection.run([one(.text(text), .int(int), .bytes(bytes))])[0].first)
            #expect(try row.optionalText(0) == text)
            #expect(try row.optionalInt(1) == int)
            #expect(try row.optionalBytes(2) == bytes)
        }
        let all = Statement("SELECT * FROM unnest($1::text[], $2::bigint[], $3::bytea[])")
        let bytes = Self.ints.map { int in (0..<8).map { UInt8(truncatingIfNeeded: int >> ($0 * 8)) } }
        let texts = Self.texts + ["b", "c", "d"]
        let full = try connection.run([all(.texts(texts), .ints(Self.ints), .byteStrings(bytes))])[0]
        #expect(try full.map { try $0.text(0) } == texts)
        #expect(try full.map { try $0.int(1) } == Self.ints)
        #expect(try full.map { try $0.optionalBytes(2) } == bytes)

        let gaps = Statement("SELECT * FROM unnest($1::text[], $2::bigint[])")
        let (someTexts, someInts) = ([nil, "", nil, "x"] as [String?], [1, nil, nil, -5] as [Int64?])
        let some = try connection.run([gaps(.optionalTexts(someTexts), .optionalInts(someInts))])[0]
        #expect(try some.map { try $0.optionalText(0) } == someTexts)
        #expect(try some.map { try $0.optionalInt(1) } == someInts)
        #expect(try connection.run([gaps(.texts([]), .ints([]))])[0].count == 0)
        #expect(try connection.run([gaps(.optionalTexts([]), .optionalInts([nil]))])[0].count == 1)
        try await database.remove()
    }

    @Test("integers of every width are read, and any other type is an error rather than a wrong value")
    func types() async throws {
        let database = try await PostgresTestDatabase.make()
        let connection = try database.connection()
        let widths = Statement("SELECT (-3)::smallint, 70000::int, 5000000000::bigint, true, 1.5::float8, NULL::text")
        let row = try #require(try connection.run([widths()])[0].first)
        #expect(try (row.int(0), row.int(1), row.int(2)) == (-3, 70_000, 5_000_000_000))
        #expect(try row.bool(3))
        #expect(try row.optionalText(5) == nil)
        #expect(throws: PostgresError.self) { try row.int(4) }
        #expect(throws: PostgresError.self) { try row.text(0) }
        #expect(throws: PostgresError.self) { try row.optionalBytes(1) }
        #expect(throws: PostgresError.self) { try row.bool(0) }
        #expect(throws: PostgresError.self) { try row.text(5) }
        #expect(throws: PostgresError.self) { try row.int(6) }
        try await database.remove()
    }

    @Test("the first failure ends and rolls back a series, and the connection stays usable")
    func failures() async throws {
        let database = try await PostgresTestDatabase.make()
        let connection = try database.connection()
        let insert = Statement("INSERT INTO users (id, name, created_ms) VALUES ($1, $2, 0)")
        let count = Statement("SELECT count(*) FROM users")
        let divide = Statement("SELECT 1 / $1::bigint")
        let nonsense = Statement("SELECT nonsense FROM nowhere")
        // Before, at and after the failing one, prepared in the same series or in an earlier one.
        for failing in [divide(.int(0)), nonsense(), insert(.text("u0"), .text("u0"))] {
            try connection.run([Statement("DELETE FROM users")(), insert(.text("u0"), .text("u0"))])
            for place in 0..<3 {
                var calls = (1...2).map { insert(.text("u\($0)"), .text("u\($0)")) }
                calls.insert(failing, at: place)
                calls.append(count())
                #expect(throws: PostgresError.self) { try connection.run(calls) }
                #expect(connection.isReady)
                #expect(try connection.run([count()])[0].first?.int(0) == 1)
            }
        }
        #expect(try connection.run([divide(.int(1))])[0].first?.int(0) == 1)
        #expect(try connection.run([]).isEmpty)
        try await database.remove()
    }

    @Test("a failure in a transaction has its own reason, and recovery rolls back")
    func transactions() async throws {
        let database = try await PostgresTestDatabase.make()
        let connection = try database.connection()
        let insert = Statement("INSERT INTO users (id, name, created_ms) VALUES ($1, $1, 0)")
        let count = Statement("SELECT count(*) FROM users")
        try connection.run([Statement.begin(), insert(.text("u1"))])
        #expect(!connection.isReady)
        let error = #expect(throws: PostgresError.self) {
            try connection.run([insert(.text("u2")), insert(.text("u1")), Statement.commit()])
        }
        #expect(error?.isUniqueViolation == true)
        #expect(error?.message.contains("users_pkey") == true)
        #expect(throws: PostgresError.self) { try connection.run([count()]) }
        #expect(connection.recover())
        #expect(connection.isReady)
        #expect(try connection.run([count()])[0].first?.int(0) == 0)

        try connection.run([Statement.begin(), insert(.text("u1"))])
        #expect(connection.recover())
        #expect(try connection.run([count()])[0].first?.int(0) == 0)
        try connection.run([Statement.begin(), insert(.text("u1")), Statement.commit()])
        #expect(try connection.run([count()])[0].first?.int(0) == 1)
        try await database.remove()
    }

    @Test("no error contains a value")
    func discretion() async throws {
        let database = try await PostgresTestDatabase.make()
        let connection = try database.connection()
        let insert = Statement("INSERT INTO users (id, name, created_ms) VALUES ($1, $2, 0)")
        try connection.run([insert(.text("u1"), .text("secret"))])
        let taken = #expect(throws: PostgresError.self) {
            try connection.run([insert(.text("u2"), .text("secret"))])
        }
        #expect(taken.map { "\($0)".contains("secret") } == false)
        try await database.remove()
    }

    @Test("series with more data than any buffer holds do not deadlock")
    func large() async throws {
        let database = try await PostgresTestDatabase.make()
        let connection = try database.connection()
        let echo = Statement("SELECT $1::bytea")
        let calls = (0..<20).map { echo(.bytes([UInt8](repeating: UInt8($0), count: 2_000_000))) }
        let responses = try connection.run(calls)
        #expect(responses.count == 20)
        for (number, rows) in responses.enumerated() {
            let bytes = try #require(try rows.first?.optionalBytes(0))
            #expect(bytes.count == 2_000_000)
            #expect(bytes.allSatisfy { $0 == UInt8(number) })
        }
        let many = Statement("SELECT number::bigint FROM generate_series(1, $1::bigint) AS number")
        #expect(try connection.run([many(.int(300_000))])[0].count == 300_000)
        try await database.remove()
    }

    @Test("a session that the server has ended while idle is detected without a query")
    func endedWhileIdle() async throws {
        let database = try await PostgresTestDatabase.make()
        let connection = try database.connection()
        #expect(connection.isReady)
        let pid = try #require(try connection.run([Statement("SELECT pg_backend_pid()")()])[0].first?.int(0))
        try await database.server.psql("SELECT pg_terminate_backend(\(pid), 5000)")
        #expect(!connection.isReady)
        #expect(!connection.recover())
        #expect(connection.lossReason.contains("server closed the connection"))
        let error = #expect(throws: PostgresError.self) { try connection.run([Statement("SELECT 1")()]) }
        #expect(error?.state == "08006")
        try await database.remove()
    }
}
