import ParleyJSON

/// A file of a message in the outbox: its copy is in the ``FileStage``, and the server gets it before the message.
package struct OutboxFile: Hashable, Sendable {
    package var name: String
    package var mediaType: String
    /// In bytes.
    package var size: Int
    package var width: Int?
    package var height: Int?
    package var durationMilliseconds: Int?
    /// The server's id, once the file was declared.
    package var attachment: String?
    /// Whether the server has all of it, and has found it to be what it was declared to be.
    package var isComplete = false

    // Not kept.

    /// Bytes that the server has.
    package var offset = 0
    /// Whether `offset` is what the server has said. It may have more than it could confirm before a cut.
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

    /// The part of the message that stands for it; `nil` until it is complete.
    package var part: ChatPart? {
        guard isComplete, let attachment else { return nil }
        let tree = JSONTree.object([
            "attachment": .text(attachment), "width": width.map { .integer(Int64($0)) },
            "height": height.map { .integer(Int64($0)) },
            "duration_ms": durationMilliseconds.map { .integer(Int64($0)) },
        ])
        return .other(json: tree.canonical)
    }

    /// What the user sees before the message has arrived.
    /// - Parameter url: Of the copy; empty if it is in memory.
    func shown(url: String) -> ChatPart {
        var file = ChatFile(
            url: url, mediaType: mediaType, name: name, size: size, width: width, height: height,
            durationMilliseconds: durationMilliseconds, attachmentID: attachment)
        file.upload = ChatUpload(sent: isComplete ? size : offset, total: size)
        return ChatPart(file)
    }

    /// The server does not have it any more: it is uploaded from the start.
    mutating func restart() {
        attachment = nil
        offset = 0
        isVerified = false
        isComplete = false
    }

    /// Whatever was true of it has to be asked for.
    mutating func doubt() {
        isVerified = false
        isComplete = false
    }
}

/// One request of an upload.
package struct UploadStep: Hashable, Sendable {
    package enum Action: Hashable, Sendable {
        case declare
        /// How much of it the server has.
        case ask(attachment: String)
        /// The next bytes. None are sent to complete a file of which the server has all.
        case append(attachment: String, offset: Int, count: Int)
    }

    /// Distinguishes the answers to earlier requests.
    package let number: Int
    /// The outbox entry, and the place of the file in it.
    package let entry: String
    package let index: Int
    package let file: OutboxFile
    package let action: Action
}

/// How a request of an upload has ended.
package enum UploadAnswer: Hashable, Sendable {
    case declared(attachment: String)
    /// The server has so many bytes.
    case has(Int, isComplete: Bool)
    /// The server does not know the attachment.
    case gone
    /// Another request is uploading it, maybe one that was cut off.
    case busy
    case refused(code: ServerErrorCode, message: String, retryAfter: Duration?)
    case noAnswer
    /// The copy cannot be read.
    case unreadable(String)
}
