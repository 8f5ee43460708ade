import GRDB
import ParleyJSON

extension SQLiteStorage {
    static func apply(_ change: StoreChange, to database: Database) throws {
        func run(_ sql: String, _ arguments: StatementArguments = []) throws {
            try database.cachedStatement(sql: sql).execute(arguments: arguments)
        }
        switch change {
        case .thread(let record):
            try run("INSERT OR REPLACE INTO thread (id, body) VALUES (?, ?)", [record.id, record.json.canonical])
        case .removeThread(let id):
            try run("DELETE FROM thread WHERE id = ?", [id])
            try run("DELETE FROM outbox WHERE thread = ?", [id])
            for table in cached { try run("DELETE FROM \(table) WHERE thread = ?", [id]) }
        case .clearMessages(let id): for table in cached { try run("DELETE FROM \(table) WHERE thread = ?", [id]) }
        case .trimMessages(let id, let seq):
            try run(
                """
                DELETE FROM message
                WHERE thread = ? AND seq < ? AND seq < (SELECT MAX(seq) FROM message WHERE thread = ?)
                """, [id, seq, id])
            try run("DELETE FROM notice WHERE thread = ? AND seq < ?", [id, seq])
            try run("DELETE FROM cached_range WHERE thread = ? AND high < ?", [id, seq])
            try run("UPDATE cached_range SET low = ? WHERE thread = ? AND low < ?", [seq, id, seq])
        case .message(let message): try put(message, in: database)
        case .notice(let notice):
            try run(
                "INSERT OR REPLACE INTO notice (thread, seq, body) VALUES (?, ?, ?)",
                [notice.threadID.rawValue, notice.seq, notice.json.canonical])
        case .edit(let thread, let seq, let text, let milliseconds):
            try run(
                """
                UPDATE message SET text = ?, edited_ms = MAX(COALESCE(edited_ms, 0), ?)
                WHERE thread = ? AND seq = ? AND deleted = 0 AND erased = 0
                """, [text, milliseconds, thread, seq])
        case .delete(let thread, let seq):
            try run(
                """
                UPDATE message SET text = '', parts = NULL, reactions = NULL, deleted = 1
                WHERE thread = ? AND seq = ?
                """, [thread, seq])
        case .react(let thread, let seq, let user, let emoji, let isOn):
            let statement = try database.cachedStatement(
                sql: "SELECT \(SQLiteSchema.columns) FROM message WHERE thread = ? AND seq = ?")
            guard let row = try Row.fetchOne(statement, arguments: [thread, seq]) else { return }
            var message = StoredMessage(row, thread: thread)
            message.react(emoji, by: user, isOn: isOn)
            try put(message, in: database)
        case .rename(let user, let name):
            try run(
                """
                UPDATE message SET sender_display_name = ?
                WHERE sender_id = ? AND erased = 0 AND sender_display_name IS NOT ?
                """, [name, user, name])
        case .range(let thread, let from, let to): try insert(from...to, of: thread, in: database)
        case .entry(let entry):
            try run(
                "INSERT OR REPLACE INTO outbox (id, thread, ordinal, body) VALUES (?, ?, ?, ?)",
                [entry.id, entry.thread, entry.ordinal, entry.json.canonical])
        case .removeEntry(let id): try run("DELETE FROM outbox WHERE id = ?", [id])
        case .account(let user):
            try run(
                "INSERT OR REPLACE INTO account (one, id, username) VALUES (1, ?, ?)",
                [user.id.rawValue, user.username])
        case .blocks(let users):
            try run("DELETE FROM block")
            for user in users { try run("INSERT INTO block (user) VALUES (?)", [user]) }
        case .clear:
            for table in ["account", "thread", "outbox", "block"] + cached { try run("DELETE FROM \(table)") }
        }
    }

    /// The tables with the cache of threads.
    private static let cached = ["message", "notice", "cached_range"]

    private static func put(_ message: StoredMessage, in database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO message (thread, \(SQLiteSchema.columns))
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: message.values)
    }

    /// Adds a range, and joins it with the ranges that it overlaps or touches.
    private static func insert(_ range: ClosedRange<Int>, of thread: String, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                SELECT MIN(low), MAX(high) FROM cached_range
                WHERE thread = ? AND high >= ? AND low <= ?
                """)
        let bounds: StatementArguments = [thread, range.lowerBound - 1, range.upperBound + 1]
        let row = try Row.fetchOne(statement, arguments: bounds)
        let (low, high): (Int?, Int?) = (row?[0], row?[1])
        try database.cachedStatement(sql: "DELETE FROM cached_range WHERE thread = ? AND high >= ? AND low <= ?")
            .execute(arguments: bounds)
        try database.cachedStatement(sql: "INSERT INTO cached_range (thread, low, high) VALUES (?, ?, ?)").execute(
            arguments: [
                thread, min(low ?? range.lowerBound, range.lowerBound), max(high ?? range.upperBound, range.upperBound),
            ])
    }
}
