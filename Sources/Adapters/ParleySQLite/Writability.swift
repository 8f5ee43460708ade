import GRDB
import ParleyModel
import Synchronization

/// Whether the database file can be written. A mutex protects the state. Changes are reported under the mutex, so that
/// the last reported state is the current one.
final class Writability: Sendable {
    private let reason = Mutex<String?>(nil)
    private let changed: @Sendable (String?) -> Void

    init(_ changed: @escaping @Sendable (String?) -> Void) {
        self.changed = changed
    }

    /// The reason that writes fail; `nil` if they succeed.
    var trouble: String? { reason.withLock { $0 } }

    /// Records the error of a write if it means that nothing can be written at present.
    func failed(_ error: any Error, path: String) {
        guard let error = error as? DatabaseError, error.isAboutTheDisk else { return }
        guard case .unavailable(let text) = StoreError(error, path: path) else { return }
        reason.withLock { reason in
            if reason == nil { changed(text) }
            reason = text
        }
    }

    func succeeded() {
        reason.withLock { reason in
            if reason != nil { changed(nil) }
            reason = nil
        }
    }
}

extension DatabaseError {
    /// Whether the file or its WAL could not be written, because the disk is full or defective, or the file is
    /// read-only.
    fileprivate var isAboutTheDisk: Bool {
        switch resultCode {
        case .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN: true
        default: false
        }
    }
}

extension SQLiteStore {
    /// The number of bytes written to test for free space, about as much as some batches of messages.
    private static let probeBytes = 65_536

    /// If writes have failed, tests whether the file can be written again. Call it every second while the store is
    /// open.
    ///
    /// The test must write, since other processes may use the same disk. It allocates pages and frees them again. In
    /// the WAL, it overwrites frames that a failed commit may have left there.
    package func recheckWrites() async {
        guard writability.trouble != nil else { return }
        do {
            try await pool.writeWithoutTransaction { db in
                try db.inTransaction(.immediate) {
                    try db.execute(sql: "CREATE TABLE IF NOT EXISTS parley_room (filler BLOB NOT NULL) STRICT")
                    try db.execute(sql: "INSERT INTO parley_room VALUES (zeroblob(\(Self.probeBytes)))")
                    return .commit
                }
                try db.inTransaction(.immediate) {
                    try db.execute(sql: "DROP TABLE parley_room")
                    return .commit
                }
            }
            writability.succeeded()
        } catch {
            writability.failed(error, path: path)
        }
    }
}
