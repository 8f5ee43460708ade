import GRDB
import ParleyJSON

/// A storage in an SQLite file. One client can open it at a time.
///
/// A transaction that changes the outbox is on disk when it returns. Other transactions survive the end of the process;
/// after a power failure their content is received again.
package final class SQLiteStorage: ChatStorage {
    private let database: DatabaseQueue
    private let isClosed = Locked(false)

    /// Opens a database, and creates it if it does not exist.
    /// - Throws: ``ChatError/storageInUse`` or ``ChatError/storage(_:)``.
    package init(path: String) throws(ChatError) {
        do {
            var configuration = Configuration()
            configuration.label = "parley-client"
            configuration.prepareDatabase { database in
                // The lock is held until the client is released, or its process ends.
                try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
                try database.execute(sql: "PRAGMA journal_mode = WAL")
                try database.execute(sql: "PRAGMA synchronous = NORMAL")
                try database.execute(sql: "PRAGMA cache_size = -4096")
            }
            database = try DatabaseQueue(path: path, configuration: configuration)
            try SQLiteSchema.migrator.migrate(database)
            try database.write { try $0.execute(sql: "UPDATE account SET id = id") }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw .storageInUse
        } catch {
            throw .storage("\(error)")
        }
    }

    package func load() throws -> StoredState {
        try open().read { database in
            var state = StoredState()
            if let row = try Row.fetchOne(database, sql: "SELECT id, username FROM account") {
                state.account = ChatUser(id: ChatUser.ID(row[0] as String), username: row[1])
            }
            state.blocks = try String.fetchAll(database, sql: "SELECT user FROM block ORDER BY user")
            state.threads = try Row.fetchAll(database, sql: "SELECT id, body FROM thread").compactMap { row in
                let (id, body): (String, String) = (row[0], row[1])
                return (try? JSONTree(parsing: body)).map { ThreadRecord(id: id, $0) }
            }
            state.outbox = try Row.fetchAll(
                database, sql: "SELECT id, thread, ordinal, body FROM outbox ORDER BY ordinal"
            ).compactMap { row in
                let (id, thread, ordinal, body): (String, String, Int, String) = (row[0], row[1], row[2], row[3])
                return (try? JSONTree(parsing: body)).flatMap {
                    ClientOutboxEntry(id: id, thread: thread, ordinal: ordinal, $0)
                }
            }
            return state
        }
    }

    package func apply(_ changes: [StoreChange]) throws {
        guard !changes.isEmpty else { return }
        let isDurable = changes.contains { if case .entry = $0 { true } else { false } }
        try open().writeWithoutTransaction { database in
            try database.execute(sql: isDurable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
            try database.inTransaction(.immediate) {
                for change in changes { try Self.apply(change, to: database) }
                return .commit
            }
        }
    }

    package func messages(in thread: String, from: Int, to: Int, limit: Int, newest: Bool) throws -> [StoredMessage] {
        try open().read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT \(SQLiteSchema.columns) FROM message WHERE thread = ? AND seq BETWEEN ? AND ?
                    ORDER BY seq \(newest ? "DESC" : "ASC") LIMIT ?
                    """)
            let messages = try Row.fetchAll(statement, arguments: [thread, from, to, limit]).map {
                StoredMessage($0, thread: thread)
            }
            return newest ? messages.reversed() : messages
        }
    }

    package func notices(in thread: String, from: Int, to: Int, limit: Int) throws -> [ChatNotice] {
        try open().read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT seq, body FROM notice WHERE thread = ? AND seq BETWEEN ? AND ? ORDER BY seq DESC LIMIT ?")
            return try Row.fetchAll(statement, arguments: [thread, from, to, limit]).reversed().compactMap { row in
                let (seq, body): (Int, String) = (row[0], row[1])
                return (try? JSONTree(parsing: body)).flatMap { ChatNotice(thread: thread, seq: seq, $0) }
            }
        }
    }

    package func range(in thread: String, containing seq: Int) throws -> ClosedRange<Int>? {
        try open().read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT low, high FROM cached_range WHERE thread = ? AND low <= ? ORDER BY low DESC LIMIT 1")
            guard let row = try Row.fetchOne(statement, arguments: [thread, seq]) else { return nil }
            let (low, high): (Int, Int) = (row[0], row[1])
            return high >= seq ? low...high : nil
        }
    }

    package func message(in thread: String, seq: Int) throws -> StoredMessage? {
        try messages(in: thread, from: seq, to: seq, limit: 1, newest: false).first
    }

    package func message(in thread: String, named id: String) throws -> StoredMessage? {
        try open().read { database in
            // This query has no index. It serves an action of the user on a visible message, so it begins with the
            // newest.
            let statement = try database.cachedStatement(
                sql: """
                    SELECT \(SQLiteSchema.columns) FROM message WHERE thread = ? AND (id = ? OR client_id = ?)
                    ORDER BY seq DESC LIMIT 1
                    """)
            return try Row.fetchOne(statement, arguments: [thread, id, id]).map { StoredMessage($0, thread: thread) }
        }
    }

    package func newestMessage(in thread: String) throws -> StoredMessage? {
        try messages(in: thread, from: 0, to: Int.max, limit: 1, newest: true).first
    }

    package func seq(ofNewest count: Int, in thread: String) throws -> Int? {
        guard count > 0 else { return nil }
        return try open().read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT seq FROM message WHERE thread = ? UNION ALL SELECT seq FROM notice WHERE thread = ?
                    ORDER BY seq DESC LIMIT 1 OFFSET ?
                    """)
            return try Int.fetchOne(statement, arguments: [thread, thread, count - 1])
        }
    }

    package func unread(in thread: String, after seq: Int, by user: String) throws -> Int {
        try open().read { database in
            try Int.fetchOne(
                database,
                sql: """
                    SELECT COUNT(*) FROM message
                    WHERE thread = ? AND seq > ? AND sender_id <> ? AND deleted = 0
                    """, arguments: [thread, seq, user]) ?? 0
        }
    }

    package func cachedCounts() throws -> [String: Int] {
        try open().read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT thread, COUNT(*) FROM message GROUP BY thread
                    UNION ALL SELECT thread, COUNT(*) FROM notice GROUP BY thread
                    """)
            return Dictionary(rows.map { row in (row[0] as String, row[1] as Int) }, uniquingKeysWith: +)
        }
    }

    package func close() {
        isClosed.withLock { $0 = true }
        try? database.close()
    }

    /// GRDB must not be used after it is closed.
    private func open() throws(ChatError) -> DatabaseQueue {
        guard !isClosed.withLock({ $0 }) else { throw .shutDown }
        return database
    }
}
