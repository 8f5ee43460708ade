/// A file of this device that is sent as part of a message.
///
/// ``ChatClient/send(_:to:)`` copies the file, so it can be changed or deleted afterwards.
public struct LocalFile: Hashable, Sendable {
    /// The location of a file's bytes.
    public enum Content: Hashable, Sendable {
        /// A file at a path.
        case path(String)
        /// Bytes in memory.
        case bytes([UInt8])
    }

    /// The location of the bytes.
    public var content: Content
    /// The name that other users see and download, 1 to 255 bytes without slashes.
    public var name: String
    /// The media type, for example `image/jpeg`.
    ///
    /// The server checks that pictures, sound, video and PDF files begin like their type. It offers files of the type
    /// `application/octet-stream` only as downloads.
    public var mediaType: String
    /// The width of a video in pixels. The server determines the width of pictures.
    public var width: Int?
    /// The height of a video in pixels. The server determines the height of pictures.
    public var height: Int?
    /// The duration of sound or video in milliseconds.
    public var durationMilliseconds: Int?

    /// Creates a file.
    /// - Parameters:
    ///   - content: The location of the bytes. A file has at least one byte.
    ///   - name: The name that other users see, 1 to 255 bytes without slashes.
    ///   - mediaType: The media type, for example `image/jpeg`.
    ///   - width: The width of a video in pixels.
    ///   - height: The height of a video in pixels.
    ///   - durationMilliseconds: The duration of sound or video in milliseconds.
    public init(
        _ content: Content, name: String, mediaType: String, width: Int? = nil, height: Int? = nil,
        durationMilliseconds: Int? = nil
    ) {
        self.content = content
        self.name = name
        self.mediaType = mediaType
        self.width = width
        self.height = height
        self.durationMilliseconds = durationMilliseconds
    }

    /// Creates a file from a path, named after its last component.
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - mediaType: The media type, for example `image/jpeg`.
    public init(path: String, mediaType: String) {
        self.init(.path(path), name: path.split(separator: "/").last.map(String.init) ?? path, mediaType: mediaType)
    }
}

/// The server's limits for uploads, and the user's current usage.
public struct AttachmentLimits: Hashable, Sendable {
    /// The maximum size of a file in bytes.
    public let maximumBytes: Int
    /// The allowed media types: exact types, `image/*` for all types of a kind, or `*/*` for all types.
    public let types: [String]
    /// The total size of the user's files in bytes.
    public let usedBytes: Int
    /// The maximum total size in bytes; `nil` if there is no limit.
    public let quotaBytes: Int?
    /// The number of the user's files.
    public let usedFiles: Int
    /// The maximum number of files; `nil` if there is no limit.
    public let quotaFiles: Int?

    /// Creates limits.
    /// - Parameters:
    ///   - maximumBytes: The maximum size of a file in bytes.
    ///   - types: The allowed media types.
    ///   - usedBytes: The total size of the user's files in bytes.
    ///   - quotaBytes: The maximum total size in bytes.
    ///   - usedFiles: The number of the user's files.
    ///   - quotaFiles: The maximum number of files.
    public init(
        maximumBytes: Int, types: [String] = ["*/*"], usedBytes: Int = 0, quotaBytes: Int? = nil, usedFiles: Int = 0,
        quotaFiles: Int? = nil
    ) {
        self.maximumBytes = maximumBytes
        self.types = types
        self.usedBytes = usedBytes
        self.quotaBytes = quotaBytes
        self.usedFiles = usedFiles
        self.quotaFiles = quotaFiles
    }
}
