import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Creates files that only the user of this process can read, from their creation on.
package enum PrivateFile {
    /// Files are created one at a time, since closing a file releases all locks that the process holds on it.
    private static let making = Mutex(())

    /// Creates an empty file that only its owner can read and write. Does nothing if the file exists.
    ///
    /// SQLite then creates `-wal` and `-shm` with the same mode. A failure becomes apparent when the file is opened.
    package static func make(_ path: String) {
        making.withLock { _ in
            let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if file >= 0 { close(file) }
        }
    }

    /// Creates a file with the given content atomically, so that no reader sees it empty or incomplete.
    /// - Returns: `false` if the file already exists or cannot be created.
    package static func make(_ path: String, content: String) -> Bool {
        let draft = "\(path).\(getpid())"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { unlink(draft) }
        let bytes = Array(content.utf8)
        let isWritten = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        return close(file) == 0 && isWritten && link(draft, path) == 0
    }

    /// Removes all permissions except the owner's. A group with write permission keeps its permissions, since an
    /// administrator granted them deliberately.
    /// - Returns: whether the file had such permissions.
    package static func tighten(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        let others: mode_t = status.st_mode & 0o020 == 0 ? 0o077 : 0o007
        guard status.st_mode & others != 0 else { return false }
        // Uses the path, since closing a descriptor would release SQLite's locks.
        chmod(path, status.st_mode & 0o7777 & ~others)
        return true
    }
}
