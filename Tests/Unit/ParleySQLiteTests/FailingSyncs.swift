import GRDBSQLite
import Synchronization

/// SQLite's file system with disks that fail: a sync of the WAL of a chosen database reports an I/O error, although the
/// bytes are in the file. All other files and calls are those of the usual file system.
enum FailingSyncs {
    private struct State {
        /// The paths of WALs, by the addresses of their open files.
        var open: [UInt: String] = [:]
        /// The paths of WALs whose syncs fail, and how often they still do.
        var failing: [String: Int] = [:]

        mutating func fails(_ file: UInt) -> Bool {
            guard let path = open[file], let times = failing[path] else { return false }
            failing[path] = times > 1 ? times - 1 : nil
            return true
        }
    }

    private static let state = Mutex(State())
    // Written once, before the file system is registered; SQLite only reads them.
    nonisolated(unsafe) private static let usual = sqlite3_vfs_find(nil)
    nonisolated(unsafe) private static let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    /// Those of the first WAL, but for `xSync`: all files of the usual file system have the same.
    nonisolated(unsafe) private static let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    nonisolated(unsafe) private static let usualMethods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    private static let hasMethods = Mutex(false)

    /// Registers the file system as the default, for files that are opened afterwards.
    static let isInstalled: Bool = {
        guard let usual else { return false }
        system.initialize(to: usual.pointee)
        system.pointee.pNext = nil
        system.pointee.xOpen = { FailingSyncs.open(file: $2, name: $1, flags: $3, result: $4) }
        return sqlite3_vfs_register(system, 1) == SQLITE_OK
    }()

    /// Has the next syncs of a database's WAL fail; 0: no more of them.
    static func fail(_ times: Int, forDatabase path: String) {
        state.withLock { $0.failing[path + "-wal"] = times > 0 ? times : nil }
    }

    private static func open(
        file: UnsafeMutablePointer<sqlite3_file>?, name: UnsafePointer<CChar>?, flags: CInt,
        result: UnsafeMutablePointer<CInt>?
    ) -> CInt {
        guard let usual, let open = usual.pointee.xOpen else { return SQLITE_CANTOPEN }
        let code = open(usual, name, file, flags, result)
        guard code == SQLITE_OK, flags & SQLITE_OPEN_WAL != 0, let file, let name, let own = file.pointee.pMethods
        else { return code }
        hasMethods.withLock { hasMethods in
            guard !hasMethods else { return }
            hasMethods = true
            usualMethods.initialize(to: own.pointee)
            methods.initialize(to: own.pointee)
            methods.pointee.xSync = { FailingSyncs.sync(file: $0, flags: $1) }
        }
        state.withLock { $0.open[UInt(bitPattern: file)] = String(cString: name) }
        file.pointee.pMethods = UnsafePointer(methods)
        return code
    }

    private static func sync(file: UnsafeMutablePointer<sqlite3_file>?, flags: CInt) -> CInt {
        let fails = state.withLock { $0.fails(UInt(bitPattern: file)) }
        // SQLITE_IOERR_FSYNC
        return fails ? SQLITE_IOERR | 4 << 8 : usualMethods.pointee.xSync(file, flags)
    }
}
