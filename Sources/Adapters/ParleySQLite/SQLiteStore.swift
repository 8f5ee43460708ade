import Dispatch
package import GRDB
package import ParleyModel
package import ParleyStorage
import Synchronization

/// Stores messages, accounts and the directory in one SQLite file. This is the store of the embedded default.
///
/// - Several stores, in one or many processes, may have the file open at the same time. SQLite allows one writer at a
///   time; readers never wait for it (WAL).
/// - When a call returns, its writes are on the disk (`synchronous = FULL`).
/// - No call blocks the thread of its caller. GRDB runs the work on its own dispatch queues. Batches are written on
///   `writer`, so that a task that prefers it as its executor does not change threads.
/// - A call whose task is cancelled throws `StoreError.unavailable` and leaves no partial writes.
/// - Readers are divided among the classes of calls, so that searches do not delay logins (`ReadGate`).
///
/// The `DatabasePool` owns the state. The store itself only holds constants, a flag for emptying the WAL, the queue of
/// reads, and whether the file can be written.
package final class SQLiteStore: Sendable {
    /// The maximum number of concurrent reads; further reads wait.
    package static let maximumReaders = 5
    /// The maximum number of reads of one class that wait; further reads are refused immediately.
    private static let waiters = 1024

    package let pool: DatabasePool
    let path: String
    let busyTimeout: Duration
    let clock: WallClock
    /// The key for the digests of deleted messages.
    let contentKey: ContentKey?
    private let gate: ReadGate
    private let searchLimit: Duration
    /// Whether the file can be written, according to the latest writes.
    let writability: Writability
    /// Computes the looks of new names.
    let nameLook: NameLook.Rule
    /// Whether the WAL may contain texts that were deleted from the database. It is set initially, since a previous
    /// process may have been killed.
    let walHasDeletedContent = Atomic<Bool>(true)
    /// The database files that other users could read before the store opened them.
    package let tightened: [String]
    /// The thread that writes batches.
    package let writer = WriterThread(name: "parley.sqlite")

    /// Opens the file, or creates it readable only for this user. `migrate()` creates the tables.
    ///
    /// Blocks during disk access, and while another process recovers the file. Call it only at program start.
    /// - Parameters:
    ///   - path: a file whose directory exists and is writable, since SQLite creates `-wal` and `-shm` files beside it.
    ///   - clock: dates new rows, and determines which sessions expired long ago.
    ///   - busyTimeout: the maximum time that a write waits for a writer of another process before it throws
    ///     `unavailable`.
    ///   - contentKey: the key for the digests of deleted messages. If it is `nil`, no digests are kept, and a repeat
    ///     of a deleted message counts as another message.
    ///   - nameLook: computes the looks of new names.
    ///   - waitLimit: the maximum time that a read waits for a reader.
    ///   - searchLimit: the maximum time for a search, a page of an export, or a list of all threads of a user.
    ///   - writability: called with the reason when the file can no longer be written, for example because the disk is
    ///     full, and with `nil` when it can be written again.
    ///   - trace: called with the text of each statement when it begins, without its values; `nil` for a store that is
    ///     not observed.
    /// - Throws: `unavailable` if the file cannot be opened or written now, `failed` if it is not a database. The text
    ///   contains the path.
    package init(
        path: String, clock: WallClock = .system, busyTimeout: Duration = .seconds(5),
        waitLimit: Duration = .seconds(5), searchLimit: Duration = .seconds(5), contentKey: ContentKey? = nil,
        nameLook: @escaping NameLook.Rule = NameLook.byCase,
        writability: @escaping @Sendable (String?) -> Void = { _ in }, trace: (@Sendable (String) -> Void)? = nil
    ) throws(StoreError) {
        tightened = SQLiteFile.protect(path: path)
        self.pool = try SQLiteFile.open(path: path, busyTimeout: busyTimeout, contentKey: contentKey, trace: trace)
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

    /// Applies the missing schema migrations in one transaction. Does nothing if the schema is current.
    ///
    /// Many processes may call this at once: one process migrates, and the others wait for it.
    /// - Throws: `failed` if the file belongs to a newer version of Parley or to a version before 0.1.0.
    package func migrate() async throws(StoreError) {
        let now = clock.milliseconds
        try await write { db in try Migrations.run(on: db, at: now) }
    }

    /// Checks that the file is readable and has the schema of this version, and that the latest writes did not fail for
    /// lack of space or a similar reason.
    /// - Throws: `unavailable` if one of these does not hold, `failed` if the file belongs to an incompatible version.
    package func check() async throws(StoreError) {
        if let trouble = writability.trouble { throw .unavailable(trouble) }
        try await read { db in try Migrations.history(of: db).require(Migrations.current) }
    }

    /// Waits for running calls and closes the file. Later calls throw `unavailable`. May be called more than once.
    package func close() async throws(StoreError) {
        let pool = pool
        let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
            // Blocks until running work is done, so it must not run on the cooperative thread pool.
            DispatchQueue.global().async { continuation.resume(returning: Result { try pool.close() }) }
        }
        if case .failure(let error) = result { throw StoreError(error, path: path) }
    }

    /// The number of reads that are waiting for a reader.
    package var waitingReads: Int { gate.waiting }

    /// Runs `body` on a snapshot of the database, for calls that others wait for.
    func read<Value: Sendable>(
        _ body: @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await read(.serving, body)
    }

    /// Runs `body` on a snapshot of the database.
    /// - Parameter kind: the class of calls that determines the share of readers.
    func read<Value: Sendable>(
        _ kind: CallClass, _ body: @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try await gate.perform(kind) { try await pool.read(body) }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Runs `body` on a snapshot of the database, for calls that may read very many rows. They have a small share of
    /// the readers and a time limit, after which they throw `unavailable`.
    func search<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try await gate.perform(.searching) { try await readWithinLimit(body) }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Runs `body` until the time limit, when GRDB interrupts the cancelled read.
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

    /// Runs `body` as one transaction on the writer thread. Prepared statements begin and end the transaction.
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
            // Fails if SQLite has already rolled the transaction back. The first error contains the reason.
            try? db.rollback()
            throw error
        }
    }

    /// Runs `body` as one transaction, which takes the write lock when it begins.
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

    /// A commit that failed has no effect on this process. If only its sync failed, however, the WAL may contain all of
    /// it, and the next start after a crash would treat it as committed. The write below overwrites it in the WAL.
    private func writeFailed(_ error: any Error) async {
        writability.failed(error, path: path)
        if (error as? DatabaseError)?.resultCode == .SQLITE_IOERR { await recheckWrites() }
    }
}
