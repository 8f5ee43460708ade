/// A file that a message links to: an attachment on this server, or a file stored elsewhere.
package struct MediaPart: Hashable, Sendable {
    /// A MIME type, such as `image/jpeg`.
    package var type: String
    package var url: String
    package var name: String?
    /// The size in bytes.
    package var size: Int64?
    /// The width in pixels.
    package var width: Int64?
    /// The height in pixels.
    package var height: Int64?
    /// The playing time of audio or video.
    package var durationMilliseconds: Int64?
    /// The attachment that the part refers to. `type` and `url` may be empty: `Messaging.attach` fills in the other fields
    /// before the message is sent.
    package var attachment: AttachmentID?

    /// The maximum length of the type, in bytes.
    package static let maximumTypeBytes = 127
    /// The maximum length of the URL, in bytes.
    package static let maximumURLBytes = 2048
    /// The maximum length of the name, in bytes.
    package static let maximumNameBytes = 255

    package init(
        type: String, url: String, name: String? = nil, size: Int64? = nil, width: Int64? = nil,
        height: Int64? = nil, durationMilliseconds: Int64? = nil, attachment: AttachmentID? = nil
    ) {
        self.type = type
        self.url = url
        self.name = name
        self.size = size
        self.width = width
        self.height = height
        self.durationMilliseconds = durationMilliseconds
        self.attachment = attachment
    }

    /// The reason that the part is invalid, as a text for the client; `nil` if it is valid.
    package var violation: String? {
        if attachment == nil {
            guard Self.isMediaType(type) else { return "type is not a MIME type of media, such as image/jpeg" }
            guard (1...Self.maximumURLBytes).contains(url.utf8.count), Self.isPlain(url), !url.utf8.contains(0x20)
            else {
                return "url is not allowed; it has 1 to \(Self.maximumURLBytes) bytes and no space or control character"
            }
        }
        if let name, let violation = Self.violation(inName: name) { return violation }
        let numbers = [("size", size), ("width", width), ("height", height), ("duration_ms", durationMilliseconds)]
        for (field, number) in numbers {
            if let number, !(0...(1 << 53)).contains(number) { return "\(field) is \(number); allowed are 0 to 2^53" }
        }
        return nil
    }

    /// Returns the reason that a file name is invalid, as a text for the client; `nil` if it is valid.
    package static func violation(inName name: String) -> String? {
        guard (1...maximumNameBytes).contains(name.utf8.count), isPlain(name) else {
            return "name is not allowed; it has 1 to \(maximumNameBytes) bytes and no control character"
        }
        return nil
    }

    /// Whether a text is a `type/subtype` of RFC 6838, in lower case, without parameters. The types of `MessagePart`'s other
    /// cases are excluded.
    package static func isMediaType(_ type: String) -> Bool {
        guard type.utf8.count <= maximumTypeBytes, type != MessagePart.textType, type != MessagePart.geoType else {
            return false
        }
        let halves = type.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return halves.count == 2 && halves.allSatisfy { !$0.isEmpty && $0.allSatisfy(isTypeByte) }
    }

    private static func isTypeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$&-^_.+".utf8.contains(byte)
        }
    }

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
