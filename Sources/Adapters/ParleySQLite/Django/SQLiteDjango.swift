import Foundation
import GRDB
package import ParleyModel

/// The tables of a Django site in its SQLite file, which is opened read-only.
package final class SQLiteDjango: DjangoDirectory {
    private let queue: DatabaseQueue
    private let path: String
    private let model: DjangoUserModel

    /// Opens the file.
    /// - Throws: `unavailable` or `failed`. The text contains the path and the reason.
    package init(path: String, model: DjangoUserModel) throws(StoreError) {
        var configuration = Configuration()
        configuration.label = "parley.django"
        configuration.readonly = true
        // Django's write transactions are short.
        configuration.busyMode = .timeout(5)
        do {
            queue = try DatabaseQueue(path: path, configuration: configuration)
        } catch {
            throw StoreError(error, path: path)
        }
        self.path = path
        self.model = model
    }

    package func sessions(_ keys: [String]) async throws(StoreError) -> [String: String] {
        // SQLite would only compare a text up to a NUL character.
        let keys = keys.filter { !$0.utf8.contains(0) }
        return try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT session_key, session_data FROM django_session
                    WHERE session_key IN (SELECT value FROM json_each(?))
                        AND expire_date > strftime('%Y-%m-%d %H:%M:%f', 'now')
                    """, arguments: [SQLiteStore.json(keys)])
            return rows.reduce(into: [:]) { $0[$1[0]] = $1[1] }
        }
    }

    package func users(_ keys: [String]) async throws(StoreError) -> [String: DjangoUser] {
        // Django stores a UUID without dashes in SQLite.
        let requested = keys.filter { !$0.utf8.contains(0) }.reduce(into: [String: String]()) { spellings, key in
            spellings[key] = key
            if key.utf8.count == 36 { spellings[key.replacing("-", with: "")] = key }
        }
        let model = model
        return try await read { db in
            let columns = try Row.fetchAll(
                db, sql: "SELECT name, pk FROM pragma_table_info(?)", arguments: [model.table])
            let keyColumns: [String] = columns.filter { $0[1] as Int > 0 }.map { $0[0] }
            guard keyColumns.count == 1 else {
                throw StoreError.failed(
                    "the Django site's database has no table \(model.table) with a primary key of one column")
            }
            let key = "\"\(keyColumns[0].replacing("\"", with: "\"\""))\""
            // As in Django, users are active if the model lacks the column.
            let isActive = columns.contains { $0[0] == "is_active" } ? "coalesce(is_active, 0)" : "1"
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT CAST(\(key) AS TEXT), CAST("\(model.usernameColumn)" AS TEXT), CAST(password AS TEXT), \(isActive)
                    FROM \(model.quotedTable)
                    WHERE \(key) IN (SELECT value FROM json_each(?))
                        AND "\(model.usernameColumn)" IS NOT NULL AND password IS NOT NULL
                    """, arguments: [SQLiteStore.json(Array(requested.keys))])
            return rows.reduce(into: [:]) { users, row in
                guard let key = requested[row[0]] else { return }
                users[key] = DjangoUser(username: row[1], password: row[2], isActive: row[3])
            }
        }
    }

    package func check() async throws(StoreError) {
        _ = try await users([])
        _ = try await sessions([])
    }

    package func close() async {
        try? queue.close()
    }

    private func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws(StoreError) -> Value {
        do {
            return try await queue.read(body)
        } catch {
            throw StoreError(error, path: path)
        }
    }
}
