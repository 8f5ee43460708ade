import GRDB
import ParleyModel
import Synchronization

/// Whether the database file can be written. The state is protected by a mutex, under which changes are told, so that
/// the last one told is the present state.
final class Writability: Sendable {
    private let reason = Mutex<String?>(nil)
    private let changed: @Sendable (String?) -> Void

    init(_ changed: @escaping @Sendable (String?) -> Void) {
        self.changed = changed
    }

    /// The reason that writes fail; `nil` if they do not.
    var trouble: String? { reason.withLock { $0 } }

    /// Records the error of a write, if it says that nothing can be written for now.
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
    /// The file or its WAL could not be written: the disk is full or broken, or the file may not be changed.
    fileprivate var isAboutTheDisk: Bool {
        switch resultCode {
        case .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN: true
        default: false
        }
    }
}

extension SQLiteStore {
    /// Bytes written to find out whether there is room again: some batches of messages.
    private static let probeBytes = 65_536

    /// If writes have failed, tries whether the file can be written again; call it every second while the store is open.
    ///
    /// Only a write tells, since other processes may use the same disk. It takes pages and gives them back. In the WAL it
    /// takes the place of what a failed commit may have left there.
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
