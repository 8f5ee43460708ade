/// A part of a message's content other than its text.
///
/// A message has at most 10 parts. The server stores parts unchanged, and does not fetch the content that they refer
/// to.
public enum ChatPart: Hashable, Sendable {
    /// A separate text, for example a caption.
    case text(String)
    /// A picture with a media type `image/…`.
    case photo(ChatFile)
    /// A video with a media type `video/…`.
    case video(ChatFile)
    /// Any other file, including sound.
    case file(ChatFile)
    /// A location.
    case location(ChatLocation)
    /// A part of an unknown type, as its JSON text.
    case other(json: String)

    /// Creates a photo, a video or a file, according to the media type.
    /// - Parameter file: The file of the part.
    public init(_ file: ChatFile) {
        if file.mediaType.hasPrefix("image/") {
            self = .photo(file)
        } else if file.mediaType.hasPrefix("video/") {
            self = .video(file)
        } else {
            self = .file(file)
        }
    }

    /// The file of a photo, a video or another file.
    public var file: ChatFile? {
        switch self {
        case .photo(let file), .video(let file), .file(let file): file
        case .text, .location, .other: nil
        }
    }
}

/// A photo, a video or another file at a URL.
public struct ChatFile: Hashable, Sendable {
    /// The `http://` or `https://` URL of the file.
    ///
    /// For an attachment of the server it is a path such as `/v1/attachments/0190f3`, which
    /// ``ChatClient/download(_:to:progress:)`` accepts. During an upload it is the `file:` URL of the local copy, or
    /// empty if the copy is in memory.
    public var url: String
    /// The media type, for example `image/jpeg`.
    public var mediaType: String
    /// The file name to display.
    public var name: String?
    /// The size in bytes.
    public var size: Int?
    /// The width in pixels.
    public var width: Int?
    /// The height in pixels.
    public var height: Int?
    /// The duration of sound or video in milliseconds.
    public var durationMilliseconds: Int?
    /// The server's ID of the file, if it is an attachment of this server. The owner of the file can send a part with
    /// this ID again.
    public var attachmentID: String?
    /// The progress of the upload; `nil` for files of accepted messages.
    public var upload: ChatUpload?

    /// Creates a file.
    /// - Parameters:
    ///   - url: The `http://` or `https://` URL of the file.
    ///   - mediaType: The media type, for example `image/jpeg`.
    ///   - name: The file name to display.
    ///   - size: The size in bytes.
    ///   - width: The width in pixels.
    ///   - height: The height in pixels.
    ///   - durationMilliseconds: The duration of sound or video in milliseconds.
    ///   - attachmentID: The server's ID, if the file is an attachment.
    public init(
        url: String, mediaType: String, name: String? = nil, size: Int? = nil, width: Int? = nil, height: Int? = nil,
        durationMilliseconds: Int? = nil, attachmentID: String? = nil
    ) {
        self.url = url
        self.mediaType = mediaType
        self.name = name
        self.size = size
        self.width = width
        self.height = height
        self.durationMilliseconds = durationMilliseconds
        self.attachmentID = attachmentID
    }
}

/// A location on Earth (WGS 84).
public struct ChatLocation: Hashable, Sendable {
    /// The latitude in degrees. North is positive.
    public var latitude: Double
    /// The longitude in degrees. East is positive.
    public var longitude: Double

    /// Creates a location.
    /// - Parameters:
    ///   - latitude: The latitude in degrees. North is positive.
    ///   - longitude: The longitude in degrees. East is positive.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// The progress of an upload.
public struct ChatUpload: Hashable, Sendable {
    /// The number of bytes that the server has.
    public let sent: Int
    /// The size of the file in bytes.
    public let total: Int

    /// Creates a progress value.
    /// - Parameters:
    ///   - sent: The number of bytes that the server has.
    ///   - total: The size of the file in bytes.
    public init(sent: Int, total: Int) {
        self.sent = sent
        self.total = total
    }

    /// The completed fraction, from 0 to 1.
    public var fraction: Double { total > 0 ? Double(sent) / Double(total) : 0 }
}
