public import Foundation
import ParleyJSON

/// Downloads and upload limits.
///
/// These methods require a connection and throw ``ChatError/offline`` without one. To send a file, add it to a
/// ``ChatDraft``.
extension ChatClient {
    // MARK: Files

    /// Downloads an attachment to a file, and replaces a file that exists at the path.
    ///
    /// An interrupted download keeps its bytes next to the destination. The next call with the same file and path
    /// continues it.
    ///
    /// ```swift
    /// try await client.download(file, to: destination.path) { print($0.fraction) }
    /// ```
    /// - Parameters:
    ///   - file: A file of a message that the user can read. Files at the address of another server are refused.
    ///   - path: The path of the destination. The file appears there once the download is complete.
    ///   - progress: A closure that is called after each piece, on any thread.
    /// - Throws: ``ChatError``, or `CancellationError`. The code is `notFound` if the file was removed with its
    ///   message.
    public func download(
        _ file: ChatFile, to path: String, progress: (@Sendable (ChatDownload) -> Void)? = nil
    ) async throws {
        let id = try await engine.attachment(at: file.url)
        let target = DownloadFile(path: path, attachment: id)
        try await engine.download(id, from: target.open()) { bytes, offset, total in
            try await target.write(bytes, at: offset)
            progress?(ChatDownload(received: offset + bytes.count, total: total))
        }
        try await target.finish()
    }

    /// Downloads an attachment into memory, for example a picture to display.
    /// - Parameters:
    ///   - file: A file of a message that the user can read. For a user's avatar, pass
    ///     ``ChatFile/init(url:mediaType:name:size:width:height:durationMilliseconds:attachmentID:)`` with the
    ///     ``ChatUser/avatarURL``.
    ///   - limit: The largest accepted size in bytes. A larger file throws ``ChatError/invalid(_:_:)``.
    /// - Returns: The content of the file.
    /// - Throws: The same errors as ``download(_:to:progress:)``.
    public func data(of file: ChatFile, limit: Int = 16 << 20) async throws -> Data {
        let id = try await engine.attachment(at: file.url)
        let collector = ByteCollector(limit: limit)
        try await engine.download(id, from: 0) { bytes, offset, total in
            try await collector.take(bytes, at: offset, total: total)
        }
        return await collector.data
    }

    /// Returns the server's limits for uploads and the user's current usage.
    /// - Throws: ``ChatError``; the code is `notFound` if the server does not accept files.
    public func attachmentLimits() async throws -> AttachmentLimits {
        let tree = try await engine.call("GET", ["v1", "attachments"])
        guard let maximum = tree["max_bytes"]?.int else { throw ChatError.noAnswer("no limits") }
        return AttachmentLimits(
            maximumBytes: maximum, types: (tree["types"]?.elements ?? []).compactMap(\.text),
            usedBytes: tree["used_bytes"]?.int ?? 0, quotaBytes: tree["quota_bytes"]?.int,
            usedFiles: tree["used_files"]?.int ?? 0, quotaFiles: tree["quota_files"]?.int)
    }
}

/// The progress of a download.
public struct ChatDownload: Hashable, Sendable {
    /// The number of bytes on the device.
    public let received: Int
    /// The size of the file in bytes.
    public let total: Int

    /// Creates a progress value.
    /// - Parameters:
    ///   - received: The number of bytes on the device.
    ///   - total: The size of the file in bytes.
    public init(received: Int, total: Int) {
        self.received = received
        self.total = total
    }

    /// The completed fraction, from 0 to 1.
    public var fraction: Double { total > 0 ? Double(received) / Double(total) : 0 }
}

/// Collects the bytes of a download in memory.
private actor ByteCollector {
    private let limit: Int
    private(set) var data = Data()

    init(limit: Int) { self.limit = limit }

    func take(_ bytes: [UInt8], at offset: Int, total: Int) throws(ChatError) {
        guard total <= limit else {
            throw .invalid(.fileTooLarge(bytes: limit), "the file has \(total) bytes, more than \(limit)")
        }
        data = data.prefix(offset) + bytes
    }
}
