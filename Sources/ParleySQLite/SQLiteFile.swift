import Foundation
package import GRDB
package import ParleyModel
package import ParleyStorage

/// Opens a database file with the settings that the store relies on.
package enum SQLiteFile {
    /// The WAL is cut back to this size after a checkpoint, in bytes.
    private static let walBytes = 64 << 20

    /// - Throws: `unavailable` or `failed`, with the path and what is wrong.
    package static func open(
        path: String, busyTimeout: Duration, contentKey: ContentKey? = nil
    ) throws(StoreError) -> DatabasePool {
        guard !path.isEmpty, path != ":memory:" else {
            throw .failed("a database needs the path of a file; allowed is any file name, but not '\(path)'")
        }
        let clock = ContinuousClock()
        let deadline = clock.now + busyTimeout
        while true {
            do {
                return try openOnce(path: path, busyTimeout: busyTimeout, contentKey)
            } catch let error as DatabaseError where error.isBusy && clock.now < deadline {
                // Turning a fresh file to WAL needs it alone, and SQLite does not wait for that by itself.
                Thread.sleep(forTimeInterval: 0.01)
            } catch {
                throw StoreError(error, path: path)
            }
        }
    }

    /// What SQLite keeps of a database: the file, and what lies beside it.
    private static let suffixes = ["", "-wal", "-shm", "-journal"]

    /// Sees to it that only this user may read the database, which holds messages and hashes of passwords.
    /// - Returns: the files that others could read.
    package static func protect(path: String) -> [String] {
        // What `open` refuses.
        guard !path.isEmpty, path != ":memory:" else { return [] }
        PrivateFile.make(path)
        return suffixes.map { path + $0 }.filter(PrivateFile.tighten)
    }

    private static func openOnce(
        path: String, busyTimeout: Duration, _ contentKey: ContentKey?
    ) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.label = "parley.sqlite"
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = SQLiteStore.maximumReaders
        configuration.busyMode = .timeout(busyTimeout / .seconds(1))
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA journal_size_limit = \(walBytes)")
            // What is deleted is overwritten. It still stands in the WAL until `SQLiteStore.emptyWAL`.
            try db.execute(sql: "PRAGMA secure_delete = ON")
            db.add(function: ContentDigest.function(contentKey))
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        // GRDB sets NORMAL when it turns WAL on, so this comes after. With NORMAL, a power cut takes back commits
        // whose messages have been acknowledged.
        try pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
        return pool
    }
}
