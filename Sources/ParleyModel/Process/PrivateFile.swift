import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Files that only the user of this process may read, from their first instant on.
package enum PrivateFile {
    /// Whoever closes a file gives up all locks that the process has on it, so none is made while another one is opened.
    private static let making = Mutex(())

    /// Makes an empty file that only its owner may read and write; does nothing if there is one.
    ///
    /// SQLite then gives `-wal` and `-shm` the same mode. What keeps the file from being made whoever opens it finds out.
    package static func make(_ path: String) {
        making.withLock { _ in
            let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if file >= 0 { close(file) }
        }
    }

    /// Makes a file with this content, all at once: nobody sees it empty or in part.
    /// - Returns: `false` if it cannot be made, or there is one.
    package static func make(_ path: String, content: String) -> Bool {
        let draft = "\(path).\(getpid())"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { unlink(draft) }
        let bytes = Array(content.utf8)
        let isWritten = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        return close(file) == 0 && isWritten && link(draft, path) == 0
    }

    /// Takes from all but the owner what they may do with a file; a group that may write it keeps its part, since
    /// somebody has given it that on purpose.
    /// - Returns: whether others could do something with the file.
    package static func tighten(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        let others: mode_t = status.st_mode & 0o020 == 0 ? 0o077 : 0o007
        guard status.st_mode & others != 0 else { return false }
        // By name, since a descriptor that is closed would cost SQLite its locks.
        chmod(path, status.st_mode & 0o7777 & ~others)
        return true
    }
}
