/// A file that a user has uploaded, or is uploading, to send it in messages.
package struct Attachment: Hashable, Sendable {
    package let id: AttachmentID
    package let owner: UserID
    /// As `MediaPart.name`, without slashes.
    package var name: String
    /// A MIME type as in `MediaPart.type`.
    package var type: String
    /// In bytes, as declared; the upload is complete when it has as many.
    package var size: Int64
    /// The number of bytes on durable storage.
    package var received: Int64
    /// The blob store's text about an unfinished upload.
    package var upload: String?
    /// The digest in lower-case hex; until the upload is complete, as the client has declared it.
    package var sha256: String?
    /// The dimensions of an image whose format is known, in pixels.
    package var dimensions: ImageDimensions?
    /// In Unix milliseconds.
    package var created: Int64
    /// Every byte has arrived and was checked; from then on the attachment never changes.
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

    /// The path of its bytes on this server.
    package var path: String { Self.path(of: id) }

    package static func path(of id: AttachmentID) -> String { "\(pathPrefix)\(id)" }

    /// The beginning of the path of every attachment.
    package static let pathPrefix = "/v1/attachments/"

    /// A part of a message, with everything that the server knows. The name of the file and the size of a video, which
    /// only the client knows, come from `part`.
    package func filling(_ part: MediaPart) -> MediaPart {
        MediaPart(
            type: type, url: path, name: name, size: size, width: dimensions?.width ?? part.width,
            height: dimensions?.height ?? part.height, durationMilliseconds: part.durationMilliseconds, attachment: id)
    }
}

/// The amount that one user may keep on the server; 0: no limit.
package struct AttachmentQuota: Hashable, Sendable {
    package var bytes: Int64
    package var files: Int64

    package init(bytes: Int64, files: Int64) {
        self.bytes = bytes
        self.files = files
    }

    /// Whether a user with this usage may add a file.
    package func allows(_ size: Int64, besides usage: AttachmentUsage) -> Bool {
        (files == 0 || usage.files < files) && (bytes == 0 || usage.bytes <= bytes - size)
    }
}

/// The files of one user, counted with their declared sizes until they are removed.
package struct AttachmentUsage: Hashable, Sendable {
    package var bytes: Int64
    package var files: Int64

    package init(bytes: Int64, files: Int64) {
        self.bytes = bytes
        self.files = files
    }
}
