import ParleyJSON

/// A file of a message in the outbox. The ``FileStage`` has its copy, and the server receives it before the message.
package struct OutboxFile: Hashable, Sendable {
    package var name: String
    package var mediaType: String
    /// The size in bytes.
    package var size: Int
    package var width: Int?
    package var height: Int?
    package var durationMilliseconds: Int?
    /// The server's ID of the attachment, once the file is declared.
    package var attachment: String?
    /// Whether the server has the whole file and has verified its type.
    package var isComplete = false

    // Not stored.

    /// The number of bytes that the server has.
    package var offset = 0
    /// Whether the server has confirmed `offset`. After an interruption the server may have more bytes than it
    /// confirmed.
    package var isVerified = false

    package init(
        name: String, mediaType: String, size: Int, width: Int? = nil, height: Int? = nil,
        durationMilliseconds: Int? = nil
    ) {
        self.name = name
        self.mediaType = mediaType
        self.size = size
        self.width = width
        self.height = height
        self.durationMilliseconds = durationMilliseconds
    }

    /// The part of the message for this file; `nil` until the upload is complete.
    package var part: ChatPart? {
        guard isComplete, let attachment else { return nil }
        let tree = JSONTree.object([
            "attachment": .text(attachment), "width": width.map { .integer(Int64($0)) },
            "height": height.map { .integer(Int64($0)) },
            "duration_ms": durationMilliseconds.map { .integer(Int64($0)) },
        ])
        return .other(json: tree.canonical)
    }

    /// Returns the part that the user sees before the message arrives.
    /// - Parameter url: The URL of the copy; empty if the copy is in memory.
    func shown(url: String) -> ChatPart {
        var file = ChatFile(
            url: url, mediaType: mediaType, name: name, size: size, width: width, height: height,
            durationMilliseconds: durationMilliseconds, attachmentID: attachment)
        file.upload = ChatUpload(sent: isComplete ? size : offset, total: size)
        return ChatPart(file)
    }

    /// Starts the upload over, because the server no longer has the file.
    mutating func restart() {
        attachment = nil
        offset = 0
        isVerified = false
        isComplete = false
    }

    /// Marks the state of the upload as unknown, so that the server is asked for it.
    mutating func doubt() {
        isVerified = false
        isComplete = false
    }
}

/// A request of an upload.
package struct UploadStep: Hashable, Sendable {
    package enum Action: Hashable, Sendable {
        case declare
        /// Ask the server for its offset.
        case ask(attachment: String)
        /// Append bytes. A count of 0 completes a file whose bytes the server already has.
        case append(attachment: String, offset: Int, count: Int)
    }

    /// The number of the request, which distinguishes its answer from earlier ones.
    package let number: Int
    /// The outbox entry, and the index of the file in it.
    package let entry: String
    package let index: Int
    package let file: OutboxFile
    package let action: Action
}

/// The result of an upload request.
package enum UploadAnswer: Hashable, Sendable {
    case declared(attachment: String)
    /// The server has this number of bytes.
    case has(Int, isComplete: Bool)
    /// The server does not know the attachment.
    case gone
    /// Another request is uploading the file; it may be an interrupted one.
    case busy
    case refused(code: ServerErrorCode, message: String, retryAfter: Duration?)
    case noAnswer
    /// The copy cannot be read.
    case unreadable(String)
}
