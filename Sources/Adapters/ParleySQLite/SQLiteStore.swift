import Dispatch
package import GRDB
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
/// - The readers are divided among the classes of calls, so that searches do not delay logins (`ReadGate`).
///
/// The `DatabasePool` owns the state; the store itself holds constants, a flag for emptying the WAL, the queue of reads,
/// and whether the file can be written.
package final class SQLiteStore: Sendable {
    /// The maximum number of concurrent reads; further ones wait.
    package static let maximumReaders = 5
    /// The maximum number of reads of a class that wait; further ones are refused at once.
    private static let waiters = 1024

    package let pool: DatabasePool
    let path: String
    let busyTimeout: Duration
    let clock: WallClock
    /// The key of the digests of deleted messages.
    let contentKey: ContentKey?
    private let gate: ReadGate
    private let searchLimit: Duration
    /// Whether the file can be written, as the last writes have shown.
    let writability: Writability
    /// Makes the looks of new names.
    let nameLook: NameLook.Rule
    /// The WAL may contain texts deleted from the database; also at the start, since a previous process may have been
    /// killed.
    let walHasDeletedContent = Atomic<Bool>(true)
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
    ///   - waitLimit: the maximum time that a read waits for a reader.
    ///   - searchLimit: the maximum time of a search, an export's page or a list of all threads of a user.
    ///   - writability: called when the file can no longer be written, such as on a full disk, with the reason, and with
    ///     `nil` when it can be again.
    /// - Throws: `unavailable` if the file cannot be opened or written now, `failed` if it is not a database; both name
    ///   it.
    package init(
        path: String, clock: WallClock = .system, busyTimeout: Duration = .seconds(5),
        waitLimit: Duration = .seconds(5), searchLimit: Duration = .seconds(5), contentKey: ContentKey? = nil,
        nameLook: @escaping NameLook.Rule = NameLook.byCase,
        writability: @escaping @Sendable (String?) -> Void = { _ in }
    ) throws(StoreError) {
        tightened = SQLiteFile.protect(path: path)
        self.pool = try SQLiteFile.open(path: path, busyTimeout: busyTimeout, contentKey: contentKey)
        self.contentKey = contentKey
        self.nameLook = nameLook
        self.path = path
        self.busyTimeout = busyTimeout
        self.searchLimit = searchLimit
        gate = ReadGate(readers: Self.maximumReaders, waiters: Self.waiters, waitLimit: waitLimit)
        self.writability = Writability(writability)
        self.clock = clock
    }

    deinit {
        writer.finish()
    }

    /// Applies the missing schema migrations in one transaction; does nothing if there are none.
    ///
    /// Safe when many processes start at once: the first migrates, the others wait for it.
    /// - Throws: `failed` if the file belongs to a newer version of Parley or to one before 0.1.0.
    package func migrate() async throws(StoreError) {
        let now = clock.milliseconds
        try await write { db in try Migrations.run(on: db, at: now) }
    }

    /// Checks that the file is readable, that the last writes have not failed for want of room or a similar reason, and
    /// that it has the schema of this version.
    /// - Throws: `unavailable` if not so, `failed` if the file belongs to a version that this one cannot work with.
    package func check() async throws(StoreError) {
        if let trouble = writability.trouble { throw .unavailable(trouble) }
        try await read { db in try Migrations.history(of: db).require(Migrations.current) }
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

    /// The number of reads that wait for a reader.
    package var waitingReads: Int { gate.waiting }

    /// Runs `body`, for which others wait, on a snapshot of the database.
    func read<Value: Sendable>(
        _ body: @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await read(.serving, body)
    }

    /// Runs `body` on a snapshot of the database.
    /// - Parameter kind: the share of the readers from which it takes its own.
    func read<Value: Sendable>(
        _ kind: CallClass, _ body: @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try await gate.perform(kind) { try await pool.read(body) }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// The same for calls that may read very many rows: they have a small share of the readers and a time limit, after
    /// which they are `unavailable`.
    func search<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try await gate.perform(.searching) { try await readWithinLimit(body) }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// A cancelled read is interrupted by GRDB.
    private func readWithinLimit<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { [pool, searchLimit] group in
            group.addTask { try await pool.read(body) }
            group.addTask {
                try await Task.sleep(for: searchLimit)
                return nil
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() ?? nil else {
                throw StoreError.unavailable("the read took longer than \(searchLimit)")
            }
            return value
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
            await writeFailed(error)
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
            await writeFailed(error)
            throw StoreError(error, path: path)
        }
    }

    /// A commit that failed has had no effect on this process, but if only its sync failed, all of it may be in the WAL.
    /// The next start after a crash would take it for committed. What is written now takes its place there.
    private func writeFailed(_ error: any Error) async {
        writability.failed(error, path: path)
        if (error as? DatabaseError)?.resultCode == .SQLITE_IOERR { await recheckWrites() }
    }
}
