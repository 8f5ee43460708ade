import GRDB
package import ParleyModel
import Synchronization

/// Removes deleted content from the WAL, where it remains in the frames of earlier transactions.
extension SQLiteStore {
    /// The maximum time to wait for readers and writers. Writers are blocked during this time.
    private static let timeout = Duration.milliseconds(50)

    /// Records that content was deleted, which must leave the disk soon. Call it after the commit.
    func noteDeletedContent() {
        walHasDeletedContent.store(true, ordering: .releasing)
    }

    /// Writes the WAL back to the database and truncates it, if content was deleted since the last time.
    ///
    /// Gives up after a short wait if a read needs the WAL. Call it every second while the store is open.
    /// - Returns: whether the WAL is free of deleted content.
    @discardableResult
    package func emptyWAL() async throws(StoreError) -> Bool {
        // Cleared before the checkpoint, so that a concurrent deletion triggers the next one.
        guard walHasDeletedContent.exchange(false, ordering: .acquiringAndReleasing) else { return true }
        let (cache, usual) = (Self.timeout / .milliseconds(1), busyTimeout / .milliseconds(1))
        do {
            let isEmpty = try await pool.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA busy_timeout = \(Int(cache))")
                defer { try? db.execute(sql: "PRAGMA busy_timeout = \(Int(usual))") }
                return try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") == 0
            }
            if !isEmpty { noteDeletedContent() }
            return isEmpty
        } catch {
            noteDeletedContent()
            writability.failed(error, path: path)
            throw StoreError(error, path: path)
        }
    }
}
