public import Foundation
import ParleyJSON

/// These calls need a connection; without one they throw ``ChatError/offline``. To send a file, put it into a
/// ``ChatDraft``.
extension ChatClient {
    // MARK: Files

    /// Downloads an attachment to a path, in place of a file that is there.
    ///
    /// A download that was cut off leaves its bytes beside the path; the next call for the same file and path continues.
    /// - Parameters:
    ///   - file: Of a message that the user can read; a file at another address than this server's is refused.
    ///   - path: Where to write it. Appears when the file is complete.
    ///   - progress: Called after each piece, on any thread.
    /// - Throws: ``ChatError``; `notFound` for a file that was removed with its message, `CancellationError`.
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

    /// Downloads an attachment into memory, for example a picture to be shown.
    /// - Parameters:
    ///   - file: As of ``download(_:to:progress:)``; also ``ChatFile/init(url:mediaType:name:size:width:height:durationMilliseconds:attachmentID:)``
    ///     with the ``ChatUser/avatarURL`` of a user.
    ///   - limit: More bytes are refused as ``ChatError/invalid(_:)``.
    /// - Throws: As ``download(_:to:progress:)``.
    public func data(of file: ChatFile, limit: Int = 16 << 20) async throws -> Data {
        let id = try await engine.attachment(at: file.url)
        let collector = ByteCollector(limit: limit)
        try await engine.download(id, from: 0) { bytes, offset, total in
            try await collector.take(bytes, at: offset, total: total)
        }
        return await collector.data
    }

    /// What the user may upload, and has uploaded.
    /// - Throws: ``ChatError``; `notFound` if the server takes no files.
    public func attachmentLimits() async throws -> AttachmentLimits {
        let tree = try await engine.call("GET", ["v1", "attachments"])
        guard let maximum = tree["max_bytes"]?.int else { throw ChatError.noAnswer("no limits") }
        return AttachmentLimits(
            maximumBytes: maximum, types: (tree["types"]?.elements ?? []).compactMap(\.text),
            usedBytes: tree["used_bytes"]?.int ?? 0, quotaBytes: tree["quota_bytes"]?.int,
            usedFiles: tree["used_files"]?.int ?? 0, quotaFiles: tree["quota_files"]?.int)
    }
}

/// How far a download has come.
public struct ChatDownload: Hashable, Sendable {
    /// Bytes that are on the device.
    public let received: Int
    /// All bytes of the file.
    public let total: Int

    /// From 0 to 1.
    public var fraction: Double { total > 0 ? Double(received) / Double(total) : 0 }
}

/// The bytes of a download into memory.
private actor ByteCollector {
    private let limit: Int
    private(set) var data = Data()

    init(limit: Int) { self.limit = limit }

    func take(_ bytes: [UInt8], at offset: Int, total: Int) throws(ChatError) {
        guard total <= limit else { throw .invalid("the file has \(total) bytes, more than \(limit)") }
        data = data.prefix(offset) + bytes
    }
}
