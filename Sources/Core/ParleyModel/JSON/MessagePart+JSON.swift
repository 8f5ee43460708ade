package import ParleyJSON

/// The JSON form of message parts (PROTOCOL §6). Frames, REST and the stores use the same form.
extension MessagePart {
    /// Decodes parts and validates everything except the lengths of texts.
    /// - Parameter tree: an array.
    package static func parts(_ tree: JSONTree) throws(InvalidMessagePart) -> [MessagePart] {
        guard let elements = tree.elements else { throw InvalidMessagePart("parts are not an array") }
        guard elements.count <= maximumCount else {
            throw InvalidMessagePart("there are \(elements.count) parts; allowed are at most \(maximumCount)")
        }
        var parts: [MessagePart] = []
        for (index, element) in elements.enumerated() {
            guard let part = MessagePart(element) else {
                throw InvalidMessagePart(
                    "part \(index) is malformed; it has an attachment, or a type with a content or a url")
            }
            parts.append(part)
        }
        if let violation = violation(in: parts, textScalars: .max) { throw InvalidMessagePart(violation) }
        return parts
    }

    /// Decodes a part written by `json(_:)`, without validation.
    package init?(_ tree: JSONTree) {
        guard case .members = tree else { return nil }
        if let attachment = tree["attachment"], attachment != .null {
            // The server takes the other fields from the attachment.
            guard let id = attachment.text.flatMap({ AttachmentID($0) }),
                let media = Self.media(tree, type: tree["type"]?.text ?? "", url: tree["url"]?.text ?? "", id)
            else { return nil }
            self = .media(media)
            return
        }
        guard let type = tree["type"]?.text else { return nil }
        switch type {
        case Self.textType:
            guard let content = tree["content"]?.text else { return nil }
            self = .text(content)
        case Self.geoType:
            guard let content = tree["content"], case .members = content else { return nil }
            self = .geo(json: content.canonical)
        default:
            guard let url = tree["url"]?.text, let media = Self.media(tree, type: type, url: url, nil) else {
                return nil
            }
            self = .media(media)
        }
    }

    private static func media(
        _ tree: JSONTree, type: String, url: String, _ attachment: AttachmentID?
    ) -> MediaPart? {
        var media = MediaPart(type: type, url: url, attachment: attachment)
        guard read(tree["name"], into: &media.name, \.text), read(tree["size"], into: &media.size, \.integer),
            read(tree["width"], into: &media.width, \.integer),
            read(tree["height"], into: &media.height, \.integer),
            read(tree["duration_ms"], into: &media.durationMilliseconds, \.integer)
        else { return nil }
        return media
    }

    /// - Returns: Whether an optional field is absent, `null`, or of the expected type.
    private static func read<Value>(
        _ tree: JSONTree?, into value: inout Value?, _ path: (JSONTree) -> Value?
    ) -> Bool {
        guard let tree, tree != .null else { return true }
        value = path(tree)
        return value != nil
    }

    /// The part in the form that clients receive.
    package var tree: JSONTree {
        switch self {
        case .text(let text):
            .object(["type": .text(Self.textType), "content": .text(text)])
        case .geo(let json):
            .object(["type": .text(Self.geoType), "content": (try? JSONTree(parsing: json)) ?? .null])
        case .media(let media):
            .object([
                "type": .text(media.type), "url": .text(media.url), "name": media.name.map { .text($0) },
                "size": media.size.map { .integer($0) }, "width": media.width.map { .integer($0) },
                "height": media.height.map { .integer($0) },
                "duration_ms": media.durationMilliseconds.map { .integer($0) },
                "attachment": media.attachment.map { .text($0.text) },
            ])
        }
    }

    /// Encodes parts as a canonical JSON array.
    package static func json(_ parts: [MessagePart]) -> String {
        JSONTree.array(parts.map(\.tree)).canonical
    }
}

/// The reason that parts are invalid, as a text for the client.
package struct InvalidMessagePart: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

extension MessagePart {
    /// Decodes stored parts written by `json(_:)`.
    /// - Throws: `StoreError.failed` if this version cannot read them.
    package static func stored(_ json: String) throws(StoreError) -> [MessagePart] {
        guard let elements = (try? JSONTree(parsing: json))?.elements else {
            throw .failed("parts are not a JSON array")
        }
        var parts: [MessagePart] = []
        for element in elements {
            guard let part = MessagePart(element) else { throw .failed("a part is of an unknown kind") }
            parts.append(part)
        }
        return parts
    }
}
