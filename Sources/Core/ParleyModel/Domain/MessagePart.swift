import ParleyJSON

/// One item of a message's content besides its text.
package enum MessagePart: Hashable, Sendable {
    /// `text/plain`.
    case text(String)
    /// An image, audio, video or other file, which is an attachment or stored elsewhere.
    case media(MediaPart)
    /// `application/geo+json`: a GeoJSON object (RFC 7946) as canonical JSON text, see `JSONTree`.
    case geo(json: String)

    /// The maximum number of parts in a message.
    package static let maximumCount = 10
    /// The maximum size of the GeoJSON text, in bytes.
    package static let maximumGeoBytes = 16_384

    /// The MIME types of the parts that are not media.
    package static let textType = "text/plain"
    package static let geoType = "application/geo+json"

    /// The MIME type.
    package var type: String {
        switch self {
        case .text: Self.textType
        case .media(let media): media.type
        case .geo: Self.geoType
        }
    }

    /// The attachment that the part refers to.
    package var attachment: AttachmentID? {
        if case .media(let media) = self { media.attachment } else { nil }
    }

    /// Returns the reason that parts are invalid, as a text for the client; `nil` if they are valid.
    /// - Parameter textScalars: The maximum length of a text part, in Unicode scalars.
    package static func violation(in parts: [MessagePart], textScalars: Int) -> String? {
        guard parts.count <= maximumCount else {
            return "there are \(parts.count) parts; allowed are at most \(maximumCount)"
        }
        for (index, part) in parts.enumerated() {
            if let violation = part.violation(textScalars: textScalars) { return "part \(index): \(violation)" }
        }
        return nil
    }

    private func violation(textScalars: Int) -> String? {
        switch self {
        case .text(let text):
            return MessageText.violation(in: text, limit: textScalars)?.explanation
        case .media(let media):
            return media.violation
        case .geo(let json):
            guard json.utf8.count <= Self.maximumGeoBytes else {
                return "content is too long; allowed are at most \(Self.maximumGeoBytes) bytes"
            }
            guard case .members = try? JSONTree(parsing: json) else { return "content is not a JSON object" }
            return nil
        }
    }
}
