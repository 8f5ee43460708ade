import GRDB
import ParleyModel
import ParleySQLite
import ParleyTestSupport
import Testing

@Suite("A database of an earlier version")
struct SQLiteUpgradeTests {
    @Test("it keeps its messages, and is searched, counted and written like a new one")
    func eventsStep() async throws {
        let database = try SQLiteTestDatabase()
        try await database.connection().write { db in
            try Migrations.run(on: db, at: 1, through: 2)
            try db.execute(
                sql: """
                    INSERT INTO users VALUES ('a', 'ann', NULL, 1), ('b', 'bob', NULL, 1);
                    INSERT INTO threads (id, kind, title, epoch, head_seq, head_n, head_ms, last_message_seq, created_ms)
                    VALUES ('t', 'room', 'tea', 'e', 3, 2, 30, 3, 1);
                    INSERT INTO members VALUES ('t', 'a', 'owner', 3, 2, 1), ('t', 'b', 'member', 1, 0, 1);
                    INSERT INTO events VALUES ('t', 1, 1, 'e', 10, 0, 'joined', 'b', 'bob');
                    INSERT INTO messages VALUES
                        ('t', 2, 'm2', 'e', 20, 1, 'a', 'ann', 'c2', 'old kettle'),
                        ('t', 3, 'm3', 'e', 30, 2, 'a', 'ann', NULL, 'kettle');
                    """)
        }
        let store = try database.openStore()
        await #expect(throws: StoreError.self) { try await store.check() }
        try await store.migrate()
        try await store.check()
        let (ann, bob, room) = (UserID(trusted: "a"), UserID(trusted: "b"), ThreadID(trusted: "t"))
        #expect(try await store.inbox(of: bob).first?.unreadCount == 2)
        #expect(try await store.search("kettle", of: bob, in: nil, limit: 9).messages.map(\.position.seq) == [3, 2])
        let log = try await store.events(in: room, after: 0, limit: 9).events
        #expect(log.map(\.position.seq) == [1, 2, 3])
        #expect(log.first?.body == .joined(User(id: bob, name: "bob")))
        let delete = LogEvent(
            thread: room, position: Position(epoch: Epoch("e"), seq: 4), milliseconds: 40, messageCount: 2,
            body: .deleted(MessageDeletion(messageID: MessageID(trusted: "m2"), messageSeq: 2, by: ann)))
        let batch = IngestBatch(
            partition: Partition(number: 0), incarnation: "i",
            entries: [.init(offset: "1", content: .event(delete))])
        #expect(try await store.write(batch) == [.stored(seq: 4)])
        #expect(try await store.inbox(of: bob).first?.unreadCount == 1)
        #expect(try await store.search("kettle", of: bob, in: nil, limit: 9).messages.map(\.position.seq) == [3])
        try await database.remove()
    }

    @Test("step 4: the feed is empty, and later writes raise versions")
    func stateStep() async throws {
        let database = try SQLiteTestDatabase()
        try await database.connection().write { db in
            try Migrations.run(on: db, at: 1, through: 4)
            try db.execute(
                sql: """
                    INSERT INTO users (id, name, password_hash, created_ms) VALUES ('a', 'ann', 'h', 1);
                    INSERT INTO threads (id, kind, title, created_ms) VALUES ('t', 'room', 'tea', 1);
                    INSERT INTO members VALUES ('t', 'a', 'owner', 3, 2, 1);
                    INSERT INTO sessions VALUES ('s', 'a', 9);
                    """)
        }
        let store = try database.openStore()
        try await store.migrate()
        let ann = UserID(trusted: "a")
        let before = try await store.snapshots(of: [ann])[ann]
        #expect(before?.version == 0)
        #expect(before?.credentialsVersion == 0)
        #expect(before?.memberships.map(\.role) == [.owner])
        let begin = try await store.changes(since: nil, limit: 9)
        // As a process of the previous version would.
        try await database.connection().write { db in
            try db.execute(sql: "UPDATE users SET password_hash = 'new' WHERE id = 'a'; DELETE FROM sessions;")
        }
        #expect(try await store.changes(since: begin.mark, limit: 9).users == [ann])
        #expect(try await store.snapshots(of: [ann])[ann]?.credentialsVersion == 1)
        try await database.remove()
    }

    @Test("step 6: accounts have no known origin, and can be made operators")
    func operatorStep() async throws {
        let database = try SQLiteTestDatabase()
        let old = { @Sendable (id: String) in
            "INSERT INTO users (id, name, password_hash, created_ms) VALUES ('\(id)', 'name-\(id)', 'h', 1)"
        }
        try await database.connection().write { db in
            try Migrations.run(on: db, at: 1, through: 6)
            try db.execute(sql: old("before"))
        }
        let store = try database.openStore()
        try await store.migrate()
        try await database.connection().write { db in try db.execute(sql: old("after")) }
        for id in ["before", "after"].map({ UserID(trusted: $0) }) {
            #expect(
                try await store.operatorStatus(of: id) == OperatorStatus(isGranted: false, origin: nil), "\(id)")
            #expect(try await store.setOperator(true, of: id, at: 2).value == true)
            #expect(try await store.operatorStatus(of: id)?.isGranted == true)
        }
        try await database.remove()
    }

    @Test("the full-text index stays consistent after VACUUM")
    func vacuum() async throws {
        let database = try await SQLiteTestDatabase.make()
        try await database.connection().write { db in
            try db.execute(
                sql: """
                    INSERT INTO users (id, name, created_ms) VALUES ('a', 'ann', 1);
                    INSERT INTO threads (id, kind, title, created_ms) VALUES ('t', 'room', 'tea', 1);
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
