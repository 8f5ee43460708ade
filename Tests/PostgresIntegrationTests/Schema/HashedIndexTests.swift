import ParleyModel
import ParleyPostgres
import ParleyTestSupport
import Testing

/// Schema steps 8 and 9 on databases of nodes that know step 7, with rows and with writers.
@Suite("The indexes of hashes", .serialized, .timeLimit(.minutes(5)))
struct HashedIndexTests {
    private let ann = User(id: UserID(trusted: "ann"), name: "ann")
    private let room = ThreadID(trusted: "r1")
    private static let old = ["messages_by_client_id", "messages_by_date", "messages_by_id", "messages_by_sender"]
    private static let new = ["messages_by_hashed_id", "messages_by_hashed_send", "messages_by_hashed_sender"]

    /// A database of step 7 in which ann has sent twenty messages, every other one with a `client_id`.
    private func previous() async throws -> PostgresTestDatabase {
        let database = try await PostgresTestDatabase(on: SharedPostgres.server())
        #expect(try Migrations.run(on: database.connection(), at: 1, through: 7)?.number == nil)
        try await database.execute("INSERT INTO users (id, name, created_ms) VALUES ('ann', 'ann', 1)")
        try await database.execute("INSERT INTO threads (id, kind, title, created_ms) VALUES ('r1', 'room', 'tea', 1)")
        try await database.execute(
            "INSERT INTO members (thread_id, user_id, role, read_seq, joined_ms) VALUES ('r1', 'ann', 'owner', 0, 1)")
        try await database.execute(Self.insert("generate_series(1, 20)"))
        try await database.execute(
            """
            UPDATE threads SET epoch = 'e', head_seq = 20, head_n = 20, head_ms = 1020, last_message_seq = 20
            WHERE id = 'r1'
            """)
        return database
    }

    /// What the previous version writes for the messages with these numbers.
    private static func insert(_ numbers: String) -> String {
        """
        INSERT INTO messages (thread_id, seq, id, epoch, date_ms, n, sender_id, sender_name, client_id, text, parts,
            reply_to, is_erased)
        SELECT 'r1', seq, 'm' || seq, 'e', 1000 + seq, seq, 'ann', 'ann', CASE seq % 2 WHEN 0 THEN 'c' || seq END,
            'text ' || seq, NULL, NULL, false
        FROM \(numbers) AS seq
        """
    }

    private func indexes(of database: PostgresTestDatabase) async throws -> [String] {
        try database.connection().run([
            Statement(
                """
                SELECT indexrelid::regclass::text FROM pg_index
                WHERE indrelid = 'messages'::regclass AND indisvalid AND indexrelid::regclass::text LIKE 'messages_by_%'
                ORDER BY indexrelid::regclass::text COLLATE "C"
                """, isKept: false)()
        ])[0].map { try $0.text(0) }
    }

    private func event(_ message: Message, seq: Int64) -> LogEvent {
        LogEvent(
            thread: room, position: Position(epoch: Epoch("e"), seq: seq), milliseconds: 1000 + seq, messageCount: 0,
            body: .message(message))
    }

    private func message(_ id: String, _ clientID: String?, _ text: String) -> Message {
        Message(id: MessageID(trusted: id), sender: ann, text: text, clientID: clientID)
    }

    private func write(_ messages: [(Message, Int64)], to store: PostgresStore) async throws -> [StoreOutcome] {
        let entries = messages.map {
            IngestBatch.Entry(offset: "\($0.0.id)-\($0.1)", content: .event(event($0.0, seq: $0.1)))
        }
        return try await store.write(
            IngestBatch(partition: Partition(number: 0), incarnation: "i", entries: entries))
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

    private func checkFinds(_ count: Int, _ store: PostgresStore) async throws {
        for seq in Int64(1)...Int64(count) {
            #expect(try await store.message(MessageID(trusted: "m\(seq)"), in: room)?.seq == seq)
        }
        let ids = try await exported(store)
        #expect(ids.count == count)
        #expect(Set(ids) == Set((1...count).map { "m\($0)" }))
        let query = SendQuery(thread: room, message: message("asked", "c2", "text 2"))
        #expect(try await store.sends([query]).map { $0?.receipt.position.seq } == [2])
    }

    @Test("rows of the previous step are found; the old indexes stay until no older node is left")
    func rows() async throws {
        let database = try await previous()
        let store = try database.openStore()
        await #expect(throws: StoreError.self) { try await store.check() }
        try await store.migrate()
        try await store.check()
        #expect(try await indexes(of: database) == (Self.old + Self.new).sorted())
        #expect(try await store.isMigrationIncomplete())
        #expect(try await database.number("SELECT max(oldest_node) FROM parley_schema") == 4)
        try await checkFinds(20, store)
        try await store.completeMigration()
        #expect(try await indexes(of: database) == Self.new)
        #expect(try await !store.isMigrationIncomplete())
        #expect(try await database.number("SELECT max(oldest_node) FROM parley_schema") == 8)
        try await store.check()
        try await store.migrate()
        try await checkFinds(20, store)
        // A repeat, another use of a stored client_id, and a stored message at another seq.
        let outcomes = try await write(
            [
                (message("m21", "c4", "text 4"), 21), (message("m22", "c4", "other"), 22),
                (message("m3", nil, "text 3"), 23), (message("m24", nil, "new"), 24),
            ], to: store)
        #expect(outcomes == [.repeated(seq: 4), .stored(seq: 22), .repeated(seq: 3), .stored(seq: 24)])
        try await database.remove()
    }

    @Test("an index that was left half-built is built again")
    func invalid() async throws {
        let database = try await previous()
        // What a crash leaves, with columns that would show if it were kept.
        try await database.execute("CREATE INDEX messages_by_hashed_send ON messages (n)")
        try await database.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'messages_by_hashed_send'::regclass")
        let store = try database.openStore()
        try await store.migrate()
        try await store.completeMigration()
        #expect(try await indexes(of: database) == Self.new)
        #expect(
            try await database.number(
                """
                SELECT count(*) FROM pg_indexes
                WHERE indexname = 'messages_by_hashed_send' AND indexdef LIKE '%UNIQUE%hashtextextended(client_id%'
                """) == 1)
        try await checkFinds(20, store)
        try await database.remove()
    }

    @Test("a finished index is kept, and a second session does not build while one does")
    func resumed() async throws {
        let database = try await previous()
        let second = try database.connection()
        let file = "SELECT pg_relation_filenode('messages_by_hashed_id')::bigint"
        let built: Int64
        do {
            // Its lock ends with this session: the steps that follow have indexes to build too.
            let first = try database.connection()
            let step = try #require(try Migrations.run(on: first, at: 1))
            #expect(try IndexBuilder.build(step, on: first))
            built = try await database.number(file)
            #expect(try !IndexBuilder.build(step, on: second))
            #expect(try Migrations.run(on: second, at: 1, through: step.number)?.number == nil)
            withExtendedLifetime(first) {}
        }
        let store = try database.openStore()
        try await store.migrate()
        #expect(try await database.number(file) == built)
        try await checkFinds(20, store)
        try await database.remove()
    }

    @Test("the previous version writes while eight nodes migrate")
    func writers() async throws {
        let database = try await previous()
        let connection = try database.connection()
        let stores = try (0..<8).map { _ in try database.openStore() }
        let written = try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores { group.addTask { try await store.migrate() } }
            var seq: Int64 = 20
            var isMigrated = false
            while !isMigrated || seq < 60 {
                seq += 1
                try connection.run([Statement(Self.insert("generate_series(\(seq), \(seq))"), isKept: false)()])
                isMigrated = try await database.number("SELECT count(*) FROM parley_schema WHERE number = 8") == 1
            }
            try await group.waitForAll()
            return seq
        }
        try await stores[0].completeMigration()
        #expect(try await indexes(of: database) == Self.new)
        try await checkFinds(Int(written), stores[0])
        try await database.remove()
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

    @Test("client_ids that collide in a database of the previous step do not keep it from being migrated")
    func earlierCollisions() async throws {
        let database = try await previous()
        for (number, clientID) in Self.colliding.enumerated() {
            try await database.execute("UPDATE messages SET client_id = '\(clientID)' WHERE seq = \(4 + 2 * number)")
        }
        let store = try database.openStore()
        try await store.migrate()
        try await checkFinds(20, store)
        let queries = [4, 6].map { seq in
            SendQuery(thread: room, message: message("asked", Self.colliding[seq / 2 - 2], "text \(seq)"))
        }
        #expect(try await store.sends(queries).map { $0?.receipt.position.seq } == [4, 6])
        #expect(try await store.sends(queries).map { $0?.isSame } == [true, true])
        #expect(try await database.number("SELECT count(*) FROM later_sends") == 1)
        try await database.remove()
    }
}
