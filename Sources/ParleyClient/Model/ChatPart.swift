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
}

/// What is at an address: a photo, a video or another file.
public struct ChatFile: Hashable, Sendable {
    /// The address, http or https.
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

    /// - Parameters:
    ///   - url: The address, http or https.
    ///   - mediaType: For example `image/jpeg`.
    ///   - name: A file name to show.
    ///   - size: In bytes.
    ///   - width: In pixels.
    ///   - height: In pixels.
    ///   - durationMilliseconds: The playing time.
    public init(
        url: String, mediaType: String, name: String? = nil, size: Int? = nil, width: Int? = nil, height: Int? = nil,
        durationMilliseconds: Int? = nil
    ) {
        self.url = url
        self.mediaType = mediaType
        self.name = name
        self.size = size
        self.width = width
        self.height = height
        self.durationMilliseconds = durationMilliseconds
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
