import GRDB
import ParleyJSON

/// The tables of a client's database, and the stored form of messages.
enum SQLiteSchema {
    /// The columns of a message, in the order that `StoredMessage` reads them.
    static let columns = """
        seq, id, client_id, sender_id, sender_name, text, parts, reply_to, ms, edited_ms, deleted, erased, reactions,
        sender_display_name
        """

    /// The schema steps. Steps are only added, never changed.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE account (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, username TEXT NOT NULL);
                    CREATE TABLE thread (id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
                    CREATE TABLE outbox (
                        id TEXT PRIMARY KEY, thread TEXT NOT NULL, ordinal INTEGER NOT NULL, body TEXT NOT NULL
                    ) WITHOUT ROWID;
                    CREATE TABLE cached_range (
                        thread TEXT NOT NULL, low INTEGER NOT NULL, high INTEGER NOT NULL, PRIMARY KEY (thread, low)
                    ) WITHOUT ROWID;
                    CREATE TABLE message (
                        thread TEXT NOT NULL, seq INTEGER NOT NULL, id TEXT NOT NULL, client_id TEXT,
                        sender_id TEXT NOT NULL, sender_name TEXT NOT NULL, text TEXT NOT NULL, parts TEXT,
                        reply_to INTEGER, ms INTEGER NOT NULL, edited_ms INTEGER, deleted INTEGER NOT NULL,
                        erased INTEGER NOT NULL, reactions TEXT, PRIMARY KEY (thread, seq)
                    ) WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("2") { database in
            try database.execute(
                sql: """
                    CREATE TABLE notice (
                        thread TEXT NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (thread, seq)
                    ) WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("3") { database in
            try database.execute(sql: "ALTER TABLE message ADD COLUMN sender_display_name TEXT")
        }
        migrator.registerMigration("4") { database in
            try database.execute(sql: "CREATE TABLE block (user TEXT PRIMARY KEY) WITHOUT ROWID")
        }
        return migrator
    }
}

extension StoredMessage {
    /// Reads a row of `SQLiteSchema.columns`.
    init(_ row: Row, thread: String) {
        self.init(
            thread: thread, seq: row[0], id: row[1], clientID: row[2], senderID: row[3], senderName: row[4],
            text: row[5], milliseconds: row[8])
        parts = Self.elements(row[6]).map { ChatPart($0) }
        replyTo = row[7]
        editedMilliseconds = row[9]
        isDeleted = row[10]
        isErased = row[11]
        reactions = Self.elements(row[12]).compactMap { ChatReaction($0) }
        senderDisplayName = row[13]
    }

    /// The values of `thread` and `SQLiteSchema.columns`.
    var values: StatementArguments {
        [
            thread, seq, id, clientID, senderID, senderName, text, Self.list(parts.map(\.json)), replyTo, milliseconds,
            editedMilliseconds, isDeleted, isErased, Self.list(reactions.map(\.json)),
            senderDisplayName,
        ]
    }

    private static func elements(_ text: String?) -> [JSONTree] {
        text.flatMap { try? JSONTree(parsing: $0) }?.elements ?? []
    }

    private static func list(_ elements: [JSONTree]) -> String? {
        elements.isEmpty ? nil : JSONTree.array(elements).canonical
    }
}
