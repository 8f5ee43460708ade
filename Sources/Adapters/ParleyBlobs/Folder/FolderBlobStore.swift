package import NIOPosix
package import ParleyModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Attachments as files in a folder that this process, or all nodes through a shared file system, can write to.
///
/// - `uploads/<id>` is an unfinished file, and `<last two characters of the id>/<id>` is a finished one. Finishing a
///   file renames it.
/// - Bytes are reported as saved after `fsync`, and a rename after `fsync` of both folders.
/// - Names are IDs that Parley generated, 32 hex digits, so that no path leaves the folder. Links are not followed.
/// - Files are readable only by this user.
/// - Every system call that may block runs on NIO's threads for blocking calls.
package final class FolderBlobStore: BlobStore {
    private let folder: String
    private let threads: NIOThreadPool

    private static let uploads = "uploads"

    /// Creates the folder if it does not exist. Its parent must exist.
    /// - Throws: `unavailable` if the folder cannot be created or written.
    package init(path: String, threads: NIOThreadPool = .singleton) throws(BlobError) {
        folder = path
        self.threads = threads
        for name in [path, "\(path)/\(Self.uploads)"] {
            guard mkdir(name, 0o700) == 0 || errno == EEXIST else { throw SystemCall.failure("mkdir", name) }
        }
        guard access("\(path)/\(Self.uploads)", W_OK | X_OK) == 0 else { throw SystemCall.failure("access", path) }
    }

    // MARK: Files

    private struct Place: Sendable {
        let upload: String
        let file: String
        let shard: String
    }

    private func place(of attachment: Attachment) throws(BlobError) -> Place {
        let id = attachment.id.text
        let isOurs =
            id.utf8.count == 32 && id.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        guard isOurs else { throw .lost }
        let shard = "\(folder)/\(id.suffix(2))"
        return Place(upload: "\(folder)/\(Self.uploads)/\(id)", file: "\(shard)/\(id)", shard: shard)
    }

    private func perform<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws(BlobError) -> Value {
        do {
            return try await threads.runIfActive(body)
        } catch let error as BlobError {
            throw error
        } catch {
            throw .unavailable("\(error)")
        }
    }

    // MARK: BlobStore

    package func append(to attachment: Attachment) async throws(BlobError) -> any BlobWriter {
        let (place, folder, received) = (try place(of: attachment), folder, attachment.received)
        let file = try await perform {
            let file = try SystemCall.open(place.upload, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC)
            do {
                guard flock(file, LOCK_EX | LOCK_NB) == 0 else { throw BlobError.busy }
                guard try SystemCall.size(of: file, place.upload) >= received else { throw BlobError.lost }
                if received == 0 { try SystemCall.sync(folder: "\(folder)/\(Self.uploads)") }
                guard lseek(file, off_t(received), SEEK_SET) == received else {
                    throw SystemCall.failure("lseek", place.upload)
                }
            } catch {
                close(file)
                throw error
            }
            return file
        }
        return FolderBlobWriter(file: file, received: received, threads: threads)
    }

    package func finish(_ attachment: Attachment) async throws(BlobError) {
        let (place, folder, size) = (try place(of: attachment), folder, attachment.size)
        try await perform {
            // An earlier call may have renamed the file, and may have ended before the rename was durable.
            if try SystemCall.length(of: place.file) == size { return try SystemCall.sync(folder: place.shard) }
            guard try SystemCall.length(of: place.upload) == size else { throw BlobError.lost }
            if mkdir(place.shard, 0o700) == 0 {
                try SystemCall.sync(folder: folder)
            } else if errno != EEXIST {
                throw SystemCall.failure("mkdir", place.shard)
            }
            guard rename(place.upload, place.file) == 0 else { throw SystemCall.failure("rename", place.upload) }
            try SystemCall.sync(folder: place.shard)
            try SystemCall.sync(folder: "\(folder)/\(Self.uploads)")
        }
    }

    package func read(
        _ attachment: Attachment, _ range: Range<Int64>
    ) async throws(BlobError) -> any BlobReader {
        let place = try place(of: attachment)
        let file = try await perform {
            let file = try SystemCall.open(place.file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
            guard try SystemCall.size(of: file, place.file) >= range.upperBound else {
                close(file)
                throw BlobError.lost
            }
            return file
        }
        return FolderBlobReader(file: file, range: range, threads: threads)
    }

    package func address(of attachment: Attachment, _ headers: BlobHeaders) -> String? { nil }

    package func remove(_ attachment: Attachment) async throws(BlobError) {
        let place: Place
        do { place = try self.place(of: attachment) } catch { return }
        let folder = folder
        try await perform {
            for (name, parent) in [(place.upload, "\(folder)/\(Self.uploads)"), (place.file, place.shard)] {
                if unlink(name) == 0 {
                    try SystemCall.sync(folder: parent)
                } else if errno != ENOENT {
                    throw SystemCall.failure("unlink", name)
                }
            }
        }
    }
}
