import GRDB
import ParleyModel
import ParleySQLite
import ParleyTestSupport
import Testing

@Suite("Texts enter the full-text index in batches")
struct SQLiteTextIndexTests {
    private static let ann = UserID(trusted: "a")

    /// A store with a room, and messages of these texts with the seqs from 1 on.
    private func make(_ texts: [String]) async throws -> (SQLiteTestDatabase, SQLiteStore) {
        let database = try await SQLiteTestDatabase.make()
        try await database.execute(
            """
            INSERT INTO users (id, name, created_ms) VALUES ('a', 'ann', 1);
            INSERT INTO threads (id, kind, title, visibility, created_ms) VALUES ('t', 'room', 'tea', 'public', 1);
            INSERT INTO members (thread_id, user_id, role, read_seq, read_n, joined_ms)
            VALUES ('t', 'a', 'owner', 0, 0, 1);
            """)
        try await insert(texts, from: 1, into: database)
        return (database, try database.openStore())
    }

    private func insert(_ texts: [String], from first: Int, into database: SQLiteTestDatabase) async throws {
        let rows = texts.enumerated().map { index, text in
            "('t', \(first + index), 'm\(first + index)', 'e', \(first + index), 1, 'a', 'ann', '\(text)')"
        }
        try await database.execute(
            """
            INSERT INTO messages (thread_id, seq, id, epoch, date_ms, n, sender_id, sender_name, text)
            VALUES \(rows.joined(separator: ", "))
            """)
    }

    private func seqs(_ word: String, in store: SQLiteStore) async throws -> [Int64] {
        try await store.search(word, of: Self.ann, in: nil, limit: 99).messages.map(\.position.seq)
    }

    /// Whether the index contains exactly the current texts.
    private func isConsistent(_ database: SQLiteTestDatabase) async throws -> Bool {
        do {
            try await database.execute("INSERT INTO messages_text (messages_text, rank) VALUES ('integrity-check', 1)")
            return true
        } catch is DatabaseError {
            return false
        }
    }

    @Test("a search finds messages that nobody has indexed yet")
    func search() async throws {
        let (database, store) = try await make(["tea", "milk", "tea milk"])
        #expect(try await !isConsistent(database), "nothing is indexed")
        #expect(try await seqs("tea", in: store) == [3, 1])
        #expect(try await isConsistent(database))
        try await database.remove()
    }

    @Test("more texts than fit in one transaction are all indexed")
    func many() async throws {
        let (database, store) = try await make((1...1001).map { "text\($0)" })
        try await store.indexTexts()
        #expect(try await isConsistent(database))
        #expect(try await database.number("SELECT rid FROM messages_text_end") == 1001)
        try await database.remove()
    }

    @Test("changed and deleted texts are found as they are, whether they were indexed or not", arguments: [0, 1, 2])
    func changes(indexed: Int) async throws {
        let (database, store) = try await make(["one"])
        if indexed > 0 { try await store.indexTexts() }
        try await insert(["two", "three"], from: 2, into: database)
        if indexed > 1 { try await store.indexTexts() }
        try await database.execute("UPDATE messages SET text = 'uno' WHERE seq = 1")
        try await database.execute("UPDATE messages SET text = 'due' WHERE seq = 2")
        try await database.execute("DELETE FROM messages WHERE seq = 3")
        #expect(try await seqs("one", in: store).isEmpty)
        #expect(try await seqs("uno", in: store) == [1])
        #expect(try await seqs("two", in: store).isEmpty)
        #expect(try await seqs("due", in: store) == [2])
        #expect(try await isConsistent(database))
        try await database.remove()
    }

    @Test("rows that take the place of deleted newest ones are indexed", arguments: ["seq > 1", "seq = 3", "seq > 0"])
    func reused(deleted: String) async throws {
        let (database, store) = try await make(["one", "two", "three"])
        try await store.indexTexts()
        try await database.execute("DELETE FROM messages WHERE \(deleted)")
        try await insert(["four", "five"], from: 4, into: database)
        #expect(try await seqs("four", in: store) == [4])
        #expect(try await seqs("five", in: store) == [5])
        #expect(try await seqs("three", in: store).isEmpty)
        #expect(try await isConsistent(database))
        try await database.remove()
    }

    @Test("the full-text index stays consistent after VACUUM")
    func vacuum() async throws {
        let database = try await SQLiteTestDatabase.make()
        try await database.connection().write { db in
            try db.execute(
                sql: """
                    INSERT INTO users (id, name, created_ms) VALUES ('a', 'ann', 1);
                    INSERT INTO threads (id, kind, title, visibility, created_ms) VALUES ('t', 'room', 'tea', 'public', 1);
                    INSERT INTO members (thread_id, user_id, role, read_seq, read_n, joined_ms)
                    VALUES ('t', 'a', 'owner', 0, 0, 1);
                    INSERT INTO messages (thread_id, seq, id, epoch, date_ms, n, sender_id, sender_name, text)
                    VALUES ('t', 1, 'm1', 'e', 1, 1, 'a', 'ann', 'one'), ('t', 2, 'm2', 'e', 2, 2, 'a', 'ann', 'two');
                    DELETE FROM messages WHERE seq = 1;
                    """)
        }
        try await database.connection().writeWithoutTransaction { db in try db.execute(sql: "VACUUM") }
        let store = try database.openStore()
        let found = try await store.search("two", of: UserID(trusted: "a"), in: nil, limit: 9)
        #expect(found.messages.map { $0.message?.text } == ["two"])
        #expect(try await store.search("one", of: UserID(trusted: "a"), in: nil, limit: 9).messages.isEmpty)
        try await database.connection().write { db in
            try db.execute(sql: "INSERT INTO messages_text (messages_text) VALUES ('integrity-check')")
        }
        try await database.remove()
    }
}
