import NIOPosix
import ParleyModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Appends to a file that is locked while it is open.
final class FolderBlobWriter: BlobWriter {
    private var file: Int32?
    private var received: Int64
    /// Whether the bytes that an earlier request left after `received` were removed. Only then does the caller know
    /// that its row is not older than the lock.
    private var isCut = false
    private let threads: NIOThreadPool

    init(file: Int32, received: Int64, threads: NIOThreadPool) {
        self.file = file
        self.received = received
        self.threads = threads
    }

    deinit {
        if let file { _ = SystemFile.close(file) }
    }

    func write(_ bytes: [UInt8]) async throws(BlobError) {
        if !isCut {
            try await perform { [received] file in
                guard ftruncate(file, off_t(received)) == 0 else {
                    throw SystemCall.failure("ftruncate", "an upload")
                }
            }
            isCut = true
        }
        try await perform { [received] file in
            do {
                try SystemCall.write(bytes, to: file)
            } catch {
                // On a full disk, the space of the failed part is needed.
                _ = ftruncate(file, off_t(received))
                _ = lseek(file, off_t(received), SEEK_SET)
                throw error
            }
        }
        received += Int64(bytes.count)
    }

    func save(isLast: Bool) async throws(BlobError) -> BlobProgress {
        try await perform { file in
            guard fsync(file) == 0 else { throw SystemCall.failure("fsync", "an upload") }
        }
        return BlobProgress(received: received)
    }

    func close() async {
        guard let file else { return }
        self.file = nil
        _ = SystemFile.close(file)
    }

    private func perform(_ body: @escaping @Sendable (Int32) throws -> Void) async throws(BlobError) {
        guard let file else { throw .unavailable("the upload is closed") }
        do {
            try await threads.runIfActive { try body(file) }
        } catch let error as BlobError {
            throw error
        } catch {
            throw .unavailable("\(error)")
        }
    }
}

/// Reads a range of a file.
final class FolderBlobReader: BlobReader {
    private static let length: Int64 = 65_536

    private var file: Int32?
    private var rest: Range<Int64>
    private let threads: NIOThreadPool

    init(file: Int32, range: Range<Int64>, threads: NIOThreadPool) {
        self.file = file
        rest = range
        self.threads = threads
    }

    deinit {
        if let file { _ = SystemFile.close(file) }
    }

    func next() async throws(BlobError) -> [UInt8]? {
        guard !rest.isEmpty, let file else { return nil }
        let (offset, count) = (rest.lowerBound, Int(min(Self.length, Int64(rest.count))))
        let bytes: [UInt8]
        do {
            bytes = try await threads.runIfActive { try SystemCall.read(file, at: offset, count) }
        } catch let error as BlobError {
            throw error
        } catch {
            throw .unavailable("\(error)")
        }
        guard !bytes.isEmpty else { throw .lost }
        rest = (offset + Int64(bytes.count))..<rest.upperBound
        return bytes
    }

    func close() async {
        guard let file else { return }
        self.file = nil
        _ = SystemFile.close(file)
    }
}

/// The system call `close`, which the methods of the same name hide.
private enum SystemFile {
    static func close(_ file: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.close(file)
        #elseif canImport(Musl)
            Musl.close(file)
        #else
            Darwin.close(file)
        #endif
    }
}
