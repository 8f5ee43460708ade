import Dispatch
import GRDB
package import ParleyModel
package import ParleyStorage
import Synchronization

/// Messages, accounts and the directory in one SQLite file: the store of the embedded default.
///
/// - Several stores, in one process or in many, may have the file open at once. There is one writer at a time; readers
///   never wait for it (WAL).
/// - When a call returns, its writes are on the disk (`synchronous = FULL`).
/// - No call blocks the caller's thread. GRDB runs the work on its own dispatch queues, and batches are written on
///   `writer`, so that a task that prefers it as its executor does not change the thread.
/// - A call whose task is cancelled throws `StoreError.unavailable` and leaves no partial writes.
///
/// The `DatabasePool` owns the state; the store itself holds constants and a flag for emptying the WAL.
package final class SQLiteStore: Sendable {
    /// The maximum number of concurrent reads; further ones wait.
    package static let maximumReaders = 5

    let pool: DatabasePool
    let path: String
    let busyTimeout: Duration
    let clock: WallClock
    /// The key of the digests of deleted messages.
    let contentKey: ContentKey?
    /// Makes the looks of new names.
    let nameLook: NameLook.Rule
    /// The WAL may contain texts deleted from the database; also at the start, since a previous process may have been
    /// killed.
    let walHasRemains = Atomic<Bool>(true)
    /// The database files that other users could read before they were opened.
    package let tightened: [String]
    /// The thread that writes batches.
    package let writer = WriterThread(name: "parley.sqlite")

    /// Opens the file, or creates it readable for this user only. `migrate()` creates the tables.
    ///
    /// Blocks on disk access, and while another process recovers the file; call it at program start only.
    /// - Parameters:
    ///   - path: a file whose directory exists and is writable, since SQLite creates `-wal` and `-shm` files beside it.
    ///   - clock: dates new rows and decides which sessions are long expired.
    ///   - busyTimeout: how long a write waits for a writer of another process before it is `unavailable`.
    ///   - contentKey: the key of the digests kept of deleted messages. With `nil` none are kept, and a repeat of a
    ///     deleted message counts as another message.
    ///   - nameLook: makes the looks of new names.
    /// - Throws: `unavailable` if the file cannot be opened or written now, `failed` if it is not a database; both name
    ///   it.
    package init(
        path: String, clock: WallClock = .system, busyTimeout: Duration = .seconds(5), contentKey: ContentKey? = nil,
        nameLook: @escaping NameLook.Rule = NameLook.byCase
    ) throws(StoreError) {
        tightened = SQLiteFile.protect(path: path)
        self.pool = try SQLiteFile.open(path: path, busyTimeout: busyTimeout, contentKey: contentKey)
        self.contentKey = contentKey
        self.nameLook = nameLook
        self.path = path
        self.busyTimeout = busyTimeout
        self.clock = clock
    }

    deinit {
        writer.finish()
    }

    /// Applies the missing schema migrations in one transaction; does nothing if there are none.
    ///
    /// Safe when many processes start at once: the first migrates, the others wait for it.
    /// - Throws: `failed` if a newer version of Parley has migrated the file.
    package func migrate() async throws(StoreError) {
        let now = clock.milliseconds
        try await write { db in try Migrations.run(on: db, at: now) }
        try await fillLooks()
    }

    /// Checks that the file is readable and its schema is that of this version.
    /// - Throws: `unavailable` if not yet, `failed` if a newer version of Parley has migrated the file.
    package func check() async throws(StoreError) {
        try await read { db in try Migrations.check(db) }
    }

    /// Waits for running calls and closes the file; later calls are `unavailable`. May be called again.
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

    /// Runs `body` as one transaction on the writer thread, with prepared statements that begin and end it.
    func writeOnThread<Value: Sendable>(
        _ body: @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try await writer.run { [pool] in
                try pool.writeWithoutTransaction { db in try Self.transaction(on: db, body) }
            }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    private static func transaction<Value>(on db: Database, _ body: (Database) throws -> Value) throws -> Value {
        try Task.checkCancellation()
        try db.cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
        do {
            let value = try body(db)
            try Task.checkCancellation()
            try db.cachedStatement(sql: "COMMIT TRANSACTION").execute()
            return value
        } catch {
            // Fails if SQLite has rolled back by itself; the first error says why.
            try? db.rollback()
            throw error
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
