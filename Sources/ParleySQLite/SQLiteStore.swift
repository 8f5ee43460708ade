import Dispatch
import GRDB
package import ParleyModel
package import ParleyStorage
import Synchronization

/// Messages, accounts and the directory in one SQLite file: the store of the embedded default.
///
/// - Several stores, in one process or in many, may have the file open at once: there is one writer at a time,
///   readers never wait for it (WAL).
/// - What a call has written is on the disk when it returns (`synchronous = FULL`).
/// - No call blocks the caller's thread; GRDB runs the work on its own dispatch queues.
/// - A call whose task is cancelled throws `StoreError.unavailable` and leaves nothing half-written.
///
/// State is owned by the `DatabasePool`; the store itself holds constants, and whether the WAL is to be emptied.
package final class SQLiteStore: Sendable {
    /// The most reads that run at once; more wait for their turn.
    package static let maximumReaders = 5

    let pool: DatabasePool
    let path: String
    let busyTimeout: Duration
    let clock: WallClock
    /// Of the digests of messages that are gone.
    let contentKey: ContentKey?
    /// The WAL may have texts that are gone from the database; so it may at the start, if a process was killed before.
    let walHasRemains = Atomic<Bool>(true)
    /// Files of the database that others than this user could read before it was opened.
    package let tightened: [String]

    /// Opens the file, or makes it, readable for this user only; `migrate()` makes the tables.
    ///
    /// Blocks for the disk, and while another process recovers the file, so it belongs to the start of a program.
    /// - Parameters:
    ///   - path: a file whose directory exists and is writable, as SQLite puts `-wal` and `-shm` beside it.
    ///   - clock: dates new rows and decides which sessions are long expired.
    ///   - busyTimeout: how long a write waits for a writer of another process before it is `unavailable`.
    ///   - contentKey: of the digests that are kept of deleted messages; `nil`: none are kept, and a repeat of a deleted
    ///     message counts as another one.
    /// - Throws: `unavailable` if the file cannot be opened or written now, `failed` if it is no database; both name it.
    package init(
        path: String, clock: WallClock = .system, busyTimeout: Duration = .seconds(5), contentKey: ContentKey? = nil
    ) throws(StoreError) {
        tightened = SQLiteFile.protect(path: path)
        self.pool = try SQLiteFile.open(path: path, busyTimeout: busyTimeout, contentKey: contentKey)
        self.contentKey = contentKey
        self.path = path
        self.busyTimeout = busyTimeout
        self.clock = clock
    }

    /// Brings the tables up to this version of Parley, as one transaction; does nothing if they are.
    ///
    /// Safe when many processes start at once: the first does it, the others wait and find it done.
    /// - Throws: `failed` if a newer version of Parley has made the tables.
    package func migrate() async throws(StoreError) {
        let now = clock.milliseconds
        try await write { db in try Migrations.run(on: db, at: now) }
    }

    /// Whether the store can answer: the file is readable and its tables are those of this version.
    /// - Throws: `unavailable` if not yet, `failed` if a newer version of Parley has made the tables.
    package func check() async throws(StoreError) {
        try await read { db in try Migrations.check(db) }
    }

    /// Waits for running calls and closes the file; calls after this are `unavailable`. May be called again.
    package func close() async throws(StoreError) {
        let pool = pool
        let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
            // Closing blocks until running work is done, so it must not run on the cooperative pool.
            DispatchQueue.global().async { continuation.resume(returning: Result { try pool.close() }) }
        }
        if case .failure(let error) = result { throw StoreError(error, path: path) }
    }

    /// Runs `body` on a snapshot of the database.
    func read<Value: Sendable>(
        _ body: @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try await pool.read(body)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Runs `body` as one transaction, which takes the write lock at its beginning.
    func write<Value: Sendable>(
        _ body: @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try await pool.write(body)
        } catch {
            throw StoreError(error, path: path)
        }
    }
}
