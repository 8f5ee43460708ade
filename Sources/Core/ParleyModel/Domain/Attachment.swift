/// A file that a user has uploaded or is uploading, for use in messages.
package struct Attachment: Hashable, Sendable {
    package let id: AttachmentID
    package let owner: UserID
    /// The file name; same rules as `MediaPart.name`, without slashes.
    package var name: String
    /// The MIME type; same rules as `MediaPart.type`.
    package var type: String
    /// The declared size in bytes. The upload is complete once this many bytes have arrived.
    package var size: Int64
    /// The number of bytes on durable storage.
    package var received: Int64
    /// The blob store's own state of an unfinished upload.
    package var upload: String?
    /// The SHA-256 digest in lower-case hex. Until the upload is complete, this is the digest that the client declared.
    package var sha256: String?
    /// The dimensions in pixels, for an image in a known format.
    package var dimensions: ImageDimensions?
    /// The creation time in Unix milliseconds.
    package var created: Int64
    /// Whether all bytes have arrived and been checked. A complete attachment never changes.
    package var isComplete: Bool

    package init(
        id: AttachmentID, owner: UserID, name: String, type: String, size: Int64, received: Int64 = 0,
        upload: String? = nil, sha256: String? = nil, dimensions: ImageDimensions? = nil, created: Int64,
        isComplete: Bool = false
    ) {
        self.id = id
        self.owner = owner
        self.name = name
        self.type = type
        self.size = size
        self.received = received
        self.upload = upload
        self.sha256 = sha256
        self.dimensions = dimensions
        self.created = created
        self.isComplete = isComplete
    }

    /// The path of the file on this server.
    package var path: String { Self.path(of: id) }

    package static func path(of id: AttachmentID) -> String { "\(pathPrefix)\(id)" }

    /// The prefix of all attachment paths.
    package static let pathPrefix = "/v1/attachments/"

    /// Returns a message part with everything that the server knows about the attachment. The file name and the dimensions of a
    /// video, which only the client knows, come from `part`.
    package func filling(_ part: MediaPart) -> MediaPart {
        MediaPart(
            type: type, url: path, name: name, size: size, width: dimensions?.width ?? part.width,
            height: dimensions?.height ?? part.height, durationMilliseconds: part.durationMilliseconds, attachment: id)
    }
}

/// The storage that one user may occupy on the server. 0 means no limit.
package struct AttachmentQuota: Hashable, Sendable {
    package var bytes: Int64
    package var files: Int64

    package init(bytes: Int64, files: Int64) {
        self.bytes = bytes
        self.files = files
    }

    /// Whether a user with this usage may add a file of `size` bytes.
    package func allows(_ size: Int64, besides usage: AttachmentUsage) -> Bool {
        (files == 0 || usage.files < files) && (bytes == 0 || usage.bytes <= bytes - size)
    }
}

/// The storage that one user occupies. Files count with their declared sizes until they are removed.
package struct AttachmentUsage: Hashable, Sendable {
    package var bytes: Int64
    package var files: Int64

    package init(bytes: Int64, files: Int64) {
        self.bytes = bytes
        self.files = files
    }
}
