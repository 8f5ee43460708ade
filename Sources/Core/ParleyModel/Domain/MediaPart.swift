/// A file that a message links to: an attachment of this server, or one stored elsewhere.
package struct MediaPart: Hashable, Sendable {
    /// A MIME type, such as `image/jpeg`.
    package var type: String
    package var url: String
    package var name: String?
    /// In bytes.
    package var size: Int64?
    /// In pixels.
    package var width: Int64?
    /// In pixels.
    package var height: Int64?
    /// Playing time of audio and video.
    package var durationMilliseconds: Int64?
    /// The attachment that the part refers to. Before a message is sent, its other fields are filled in from it, and
    /// `type` and `url` may be empty (`Messaging.attach`).
    package var attachment: AttachmentID?

    /// Maximum length of the type, in bytes.
    package static let maximumTypeBytes = 127
    /// Maximum length of the URL, in bytes.
    package static let maximumURLBytes = 2048
    /// Maximum length of the name, in bytes.
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

    /// The reason that the part is invalid, for the client; `nil` if it is valid.
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

    /// The reason that a file's name is invalid, for the client; `nil` if it is valid.
    package static func violation(inName name: String) -> String? {
        guard (1...maximumNameBytes).contains(name.utf8.count), isPlain(name) else {
            return "name is not allowed; it has 1 to \(maximumNameBytes) bytes and no control character"
        }
        return nil
    }

    /// `type/subtype` of RFC 6838 in lower case without parameters, excluding the types of `MessagePart`'s other cases.
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
