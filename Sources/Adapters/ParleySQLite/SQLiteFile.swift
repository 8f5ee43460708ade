import Foundation
package import GRDB
package import ParleyModel
package import ParleyStorage

/// Opens a database file with the settings that the store relies on.
package enum SQLiteFile {
    /// The size in bytes to which the WAL is truncated after a checkpoint.
    private static let walBytes = 64 << 20

    /// - Throws: `unavailable` or `failed`. The text contains the path and the reason.
    package static func open(
        path: String, busyTimeout: Duration, contentKey: ContentKey? = nil, trace: (@Sendable (String) -> Void)? = nil
    ) throws(StoreError) -> DatabasePool {
        guard !path.isEmpty, path != ":memory:" else {
            throw .failed("a database requires the path of a file; '\(path)' is not allowed")
        }
        let clock = ContinuousClock()
        let deadline = clock.now + busyTimeout
        while true {
            do {
                return try openOnce(path: path, busyTimeout: busyTimeout, contentKey, trace)
            } catch let error as DatabaseError where error.isBusy && clock.now < deadline {
                // Switching a new file to WAL requires exclusive access, and SQLite does not wait for it.
                Thread.sleep(forTimeInterval: 0.01)
            } catch {
                throw StoreError(error, path: path)
            }
        }
    }

    /// The suffixes of the files that form a database.
    private static let suffixes = ["", "-wal", "-shm", "-journal"]

    /// Restricts access to the database files to this user, since they contain messages and password hashes.
    /// - Returns: the files that other users could read.
    package static func protect(path: String) -> [String] {
        // `open` refuses these paths.
        guard !path.isEmpty, path != ":memory:" else { return [] }
        PrivateFile.make(path)
        return suffixes.map { path + $0 }.filter(PrivateFile.tighten)
    }

    private static func openOnce(
        path: String, busyTimeout: Duration, _ contentKey: ContentKey?, _ trace: (@Sendable (String) -> Void)?
    ) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.label = "parley.sqlite"
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = SQLiteStore.maximumReaders
        configuration.busyMode = .timeout(busyTimeout / .seconds(1))
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA journal_size_limit = \(walBytes)")
            // Overwrites deleted content in the file. The content remains in the WAL until `SQLiteStore.emptyWAL`
            // removes it.
            try db.execute(sql: "PRAGMA secure_delete = ON")
            db.add(function: ContentDigest.function(contentKey))
            if let trace {
                db.trace { event in
                    if case .statement(let statement) = event { trace(statement.sql) }
                }
            }
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        // Set after GRDB, which sets NORMAL when it enables WAL. With NORMAL, a power failure could lose commits whose
        // messages were already acknowledged.
        try pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
        return pool
    }
}
