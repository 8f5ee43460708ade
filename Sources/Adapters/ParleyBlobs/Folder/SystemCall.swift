import ParleyModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// System calls on files that report errors as `BlobError`.
enum SystemCall {
    static func failure(_ call: StaticString, _ path: String) -> BlobError {
        let number = errno
        return .unavailable("\(call) \(path): \(String(cString: strerror(number)))")
    }

    /// - Throws: `lost` if there is no such file.
    static func open(_ path: String, _ flags: Int32) throws(BlobError) -> Int32 {
        #if canImport(Glibc)
            let file = Glibc.open(path, flags, 0o600)
        #elseif canImport(Musl)
            let file = Musl.open(path, flags, 0o600)
        #else
            let file = Darwin.open(path, flags, 0o600)
        #endif
        guard file >= 0 else { throw errno == ENOENT ? .lost : failure("open", path) }
        return file
    }

    static func size(of file: Int32, _ path: String) throws(BlobError) -> Int64 {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure("fstat", path) }
        return Int64(status.st_size)
    }

    /// Returns the size of a file; `nil` if it does not exist.
    static func length(of path: String) throws(BlobError) -> Int64? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw failure("lstat", path) }
            return nil
        }
        return Int64(status.st_size)
    }

    /// Makes all creations, renames and removals in a folder durable.
    static func sync(folder path: String) throws(BlobError) {
        let folder = try open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw failure("fsync", path) }
    }

    /// Writes all bytes at the file's position.
    static func write(_ bytes: [UInt8], to file: Int32) throws(BlobError) {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                buffer.baseAddress.map { writeOnce(file, $0 + offset, buffer.count - offset) } ?? 0
            }
            if count > 0 {
                offset += count
            } else if errno != EINTR {
                throw failure("write", "an upload")
            }
        }
    }

    private static func writeOnce(_ file: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.write(file, start, count)
        #elseif canImport(Musl)
            Musl.write(file, start, count)
        #else
            Darwin.write(file, start, count)
        #endif
    }

    /// Reads up to `count` bytes at `offset`; fewer only at the end of the file.
    static func read(_ file: Int32, at offset: Int64, _ count: Int) throws(BlobError) -> [UInt8] {
        var length = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            repeat {
                length = pread(file, buffer.baseAddress, count, off_t(offset))
            } while length < 0 && errno == EINTR
            initialized = max(0, length)
        }
        guard length >= 0 else { throw failure("pread", "an attachment") }
        return bytes
    }
}
