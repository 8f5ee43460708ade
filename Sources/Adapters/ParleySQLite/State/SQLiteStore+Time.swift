import GRDB
package import ParleyModel

/// SQLite has no clock other than the machine's.
extension SQLiteStore: TimeSource {
    package func databaseMilliseconds() async throws(StoreError) -> Int64 {
        try await read { db in
            try Int64.fetchOne(db, sql: "SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)") ?? 0
        }
    }
}
