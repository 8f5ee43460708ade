import GRDB
package import ParleyModel
import Synchronization

/// What is deleted from the database and still stands in its WAL, as the frames of former transactions.
extension SQLiteStore {
    /// How long other readers and writers are waited for, and writers are held up by that.
    private static let timeout = Duration.milliseconds(50)

    /// Something was deleted that is to be gone from the disk soon. To be called when that is committed.
    func noteRemains() {
        walHasRemains.store(true, ordering: .releasing)
    }

    /// Writes the WAL back to the database and empties it, if something was deleted since that was done last.
    ///
    /// Gives up after a moment while a read goes on that needs the WAL; to be called every second, for ever.
    /// - Returns: whether the WAL holds nothing that is deleted.
    @discardableResult
    package func emptyWAL() async throws(StoreError) -> Bool {
        // Before it is emptied, so that what is deleted meanwhile is for the next time.
        guard walHasRemains.exchange(false, ordering: .acquiringAndReleasing) else { return true }
        let (cache, usual) = (Self.timeout / .milliseconds(1), busyTimeout / .milliseconds(1))
        do {
            let isEmpty = try await pool.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA busy_timeout = \(Int(cache))")
                defer { try? db.execute(sql: "PRAGMA busy_timeout = \(Int(usual))") }
                return try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") == 0
            }
            if !isEmpty { noteRemains() }
            return isEmpty
        } catch {
            noteRemains()
            throw StoreError(error, path: path)
        }
    }
}
