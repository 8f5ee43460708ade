import ParleyJSON

/// One thing that a message has besides its text.
package enum MessagePart: Hashable, Sendable {
    /// `text/plain`.
    case text(String)
    /// A picture, a sound, a film or any other file that lies elsewhere.
    case media(MediaPart)
    /// `application/geo+json`: a GeoJSON object (RFC 7946) as canonical JSON text, see `JSONTree`.
    case geo(json: String)

    /// The most parts of one message.
    package static let maximumCount = 10
    /// The largest GeoJSON text, in bytes.
    package static let maximumGeoBytes = 16_384

    /// What the two types that are no media are called.
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

    /// Why a message may not have these parts, for the client; `nil` if it may.
    /// - Parameter textScalars: the most Unicode scalars of a text.
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
