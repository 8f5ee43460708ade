/// A file of this device that is sent as part of a message.
///
/// ``ChatClient/send(_:to:)`` takes a copy of it, so it may be changed or deleted afterwards.
public struct LocalFile: Hashable, Sendable {
    /// Where the bytes are.
    public enum Content: Hashable, Sendable {
        /// In a file at this path.
        case path(String)
        /// In memory.
        case bytes([UInt8])
    }

    /// Where the bytes are.
    public var content: Content
    /// The name to show and to download it under: 1 to 255 bytes, without slashes.
    public var name: String
    /// The media type, for example `image/jpeg`. The server refuses pictures, sound, video and PDF files that do not
    /// begin like one; `application/octet-stream` is always a mere download.
    public var mediaType: String
    /// In pixels; for videos. The server knows those of pictures.
    public var width: Int?
    /// In pixels; for videos. The server knows those of pictures.
    public var height: Int?
    /// The playing time of sound or video, in milliseconds.
    public var durationMilliseconds: Int?

    /// - Parameters:
    ///   - content: Where the bytes are; at least one.
    ///   - name: 1 to 255 bytes, without slashes.
    ///   - mediaType: For example `image/jpeg`.
    ///   - width: In pixels, for videos.
    ///   - height: In pixels, for videos.
    ///   - durationMilliseconds: The playing time.
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

    /// A file at a path, under its own name.
    /// - Parameters:
    ///   - path: Of the file.
    ///   - mediaType: For example `image/jpeg`.
    public init(path: String, mediaType: String) {
        self.init(.path(path), name: path.split(separator: "/").last.map(String.init) ?? path, mediaType: mediaType)
    }
}

/// What the user may upload, and has uploaded.
public struct AttachmentLimits: Hashable, Sendable {
    /// The largest file, in bytes.
    public let maximumBytes: Int
    /// Allowed media types: exact ones, `image/*` for all of a kind, `*/*` for all.
    public let types: [String]
    /// Bytes of the user's files.
    public let usedBytes: Int
    /// The highest number of bytes; `nil` if there is no limit.
    public let quotaBytes: Int?
    /// How many files the user has.
    public let usedFiles: Int
    /// The highest number of files; `nil` if there is no limit.
    public let quotaFiles: Int?
}
