import GRDB
package import ParleyModel

extension StoreError {
    /// Maps an error of GRDB or SQLite to the error that the caller of a store expects.
    ///
    /// The text contains the path of the file, but never the value of a parameter or column.
    package init(_ error: any Error, path: String) {
        switch error {
        case let error as StoreError:
            self = error
        case let error as DatabaseError:
            self.init(error, path: path)
        case is CancellationError:
            self = .unavailable("\(path): the call was cancelled")
        default:
            self = .failed("\(path): \(error)")
        }
    }

    private init(_ error: DatabaseError, path: String) {
        let message = error.message ?? "no message"
        switch error.resultCode {
        case .SQLITE_CANTOPEN:
            self = .unavailable(
                "cannot open \(path): \(message); it must be a file in a directory that exists and can be written")
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            self = .unavailable("cannot write \(path): \(message)")
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL:
            self = .unavailable("\(path) is in use by another process: \(message)")
        case .SQLITE_FULL:
            self = .unavailable("no room left for \(path): \(message)")
        case .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_INTERRUPT, .SQLITE_ABORT:
            self = .unavailable("\(path): \(message) (\(error.extendedResultCode.rawValue))")
        // For a closed handle, GRDB reports the first message, and SQLite the second.
        case .SQLITE_MISUSE where message == "Connection is closed" || message == "out of memory":
            self = .unavailable("\(path) is closed")
        case .SQLITE_NOTADB:
            self = .failed("\(path) is not an SQLite database")
        case .SQLITE_CORRUPT:
            self = .failed("\(path) is damaged: \(message)")
        default:
            let statement = error.sql.map { " in: \($0)" } ?? ""
            self = .failed("\(path): \(message) (\(error.extendedResultCode.rawValue))\(statement)")
        }
    }
}

extension DatabaseError {
    /// Whether another connection holds the lock.
    var isBusy: Bool { resultCode == .SQLITE_BUSY || resultCode == .SQLITE_LOCKED }

    /// Whether a value violates a unique constraint.
    var isUniqueViolation: Bool {
        extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE || extendedResultCode == .SQLITE_CONSTRAINT_PRIMARYKEY
    }

    /// Whether the row is invalid rather than the database. The statement then had no effect, and the transaction
    /// continues.
    var isAboutTheRow: Bool {
        switch resultCode {
        case .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG: true
        default: false
        }
    }
}
