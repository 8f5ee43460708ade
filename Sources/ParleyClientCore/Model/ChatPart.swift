/// One piece of a message's content besides its text.
///
/// A message has at most 10 parts. The server keeps parts unchanged; it does not fetch what they refer to.
public enum ChatPart: Hashable, Sendable {
    /// A text of its own, for example a caption.
    case text(String)
    /// A picture: media type `image/…`.
    case photo(ChatFile)
    /// A film: media type `video/…`.
    case video(ChatFile)
    /// Anything else at an address, sound included.
    case file(ChatFile)
    /// A place.
    case location(ChatLocation)
    /// A part that this version does not recognise, as its JSON text.
    case other(json: String)

    /// A file as the part that its media type makes it.
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

/// What is at an address: a photo, a video or another file.
public struct ChatFile: Hashable, Sendable {
    /// The address, http or https. Of an attachment of the server it is a path, such as `/v1/attachments/0190f3`, for
    /// ``ChatClient/download(_:to:progress:)``; of a file that is being uploaded it is the `file:` address of the copy,
    /// or empty if that is in memory.
    public var url: String
    /// The media type, for example `image/jpeg`.
    public var mediaType: String
    /// A file name to show.
    public var name: String?
    /// In bytes.
    public var size: Int?
    /// In pixels.
    public var width: Int?
    /// In pixels.
    public var height: Int?
    /// The playing time of sound or video, in milliseconds.
    public var durationMilliseconds: Int?
    /// The server's id of the file, if it is an attachment of this server. A part with it may be sent again by the
    /// owner of the file.
    public var attachmentID: String?
    /// How far the upload has come; `nil` for files of messages that have arrived.
    public package(set) var upload: ChatUpload?

    /// - Parameters:
    ///   - url: The address, http or https.
    ///   - mediaType: For example `image/jpeg`.
    ///   - name: A file name to show.
    ///   - size: In bytes.
    ///   - width: In pixels.
    ///   - height: In pixels.
    ///   - durationMilliseconds: The playing time.
    ///   - attachmentID: The server's id, if it is an attachment.
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

/// A place on Earth (WGS 84).
public struct ChatLocation: Hashable, Sendable {
    /// In degrees, north positive.
    public var latitude: Double
    /// In degrees, east positive.
    public var longitude: Double

    /// - Parameters:
    ///   - latitude: In degrees, north positive.
    ///   - longitude: In degrees, east positive.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// How far the upload of a file has come.
public struct ChatUpload: Hashable, Sendable {
    /// Bytes that the server has.
    public let sent: Int
    /// All bytes of the file.
    public let total: Int

    /// - Parameters:
    ///   - sent: Bytes that the server has.
    ///   - total: All bytes of the file.
    public init(sent: Int, total: Int) {
        self.sent = sent
        self.total = total
    }

    /// From 0 to 1.
    public var fraction: Double { total > 0 ? Double(sent) / Double(total) : 0 }
}
