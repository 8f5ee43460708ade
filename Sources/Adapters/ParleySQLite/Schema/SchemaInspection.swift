import Foundation
import GRDBSQLite
package import ParleyModel
package import ParleyStorage

/// Reads the schema steps of a database file without writing to the file, or to the files that SQLite keeps beside it.
///
/// Uses SQLite directly, since GRDB does not open URIs. Without `immutable`, opening a database in WAL mode creates a
/// WAL.
package enum SchemaInspection {
    /// - Throws: `failed` or `unavailable`; the text contains the path and the reason. Also throws if this process
    ///   cannot write the file or its directory.
    package static func finding(at path: String) throws(StoreError) -> SchemaHistory.Finding {
        let (files, folder) = (FileManager.default, URL(fileURLWithPath: path).deletingLastPathComponent().path)
        guard files.isWritableFile(atPath: folder) else {
            throw .unavailable("\(path): the directory \(folder) does not exist or cannot be written")
        }
        guard files.fileExists(atPath: path) else { return .empty }
        guard files.isWritableFile(atPath: path) else { throw .unavailable("\(path) cannot be written") }
        do throws(StoreError) {
            return try history(at: path).compare(with: Migrations.current)
        } catch {
            switch error {
            case .failed(let reason): throw .failed("\(path): \(reason)")
            default: throw error
            }
        }
    }

    private static func history(at path: String) throws(StoreError) -> SchemaHistory {
        // A WAL exists if a process has the file open, or was killed while it did.
        let mode = FileManager.default.fileExists(atPath: path + "-wal") ? "mode=ro" : "immutable=1"
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        let uri = "\(URL(fileURLWithPath: path).absoluteString)?\(mode)"
        guard sqlite3_open_v2(uri, &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil) == SQLITE_OK else {
            throw .unavailable("\(path): \(message(of: handle))")
        }
        sqlite3_busy_timeout(handle, 5000)
        func numbers(_ sql: String) throws(StoreError) -> [Int] {
            var statement: OpaquePointer?
            defer { sqlite3_finalize(statement) }
            guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
                throw .failed(message(of: handle))
            }
            var numbers: [Int] = []
            while true {
                switch sqlite3_step(statement) {
                case SQLITE_ROW: numbers.append(Int(sqlite3_column_int64(statement, 0)))
                case SQLITE_DONE: return numbers
                default: throw .failed(message(of: handle))
                }
            }
        }
        let tables = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = "
        if try numbers(tables + "'parley_migrations'") == [1] { return SchemaHistory(isUnreleased: true) }
        guard try numbers(tables + "'parley_schema'") == [1] else { return SchemaHistory() }
        let steps = Set(try numbers("SELECT number FROM parley_schema"))
        return SchemaHistory(steps: steps, oldestNode: steps.max() ?? 0)
    }

    private static func message(of handle: OpaquePointer?) -> String {
        sqlite3_errmsg(handle).map { String(cString: $0) } ?? "no memory"
    }
}
