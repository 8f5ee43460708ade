package import ParleyModel

/// The title of a room: 1 to 64 Unicode scalars, without control characters or white space at the ends.
package struct RoomTitle: Hashable, Sendable {
    /// The maximum length of a title, in Unicode scalars.
    package static let maximumScalars = 64

    package let text: String

    /// The reason that a text is not a valid title.
    package enum Violation: Error, Hashable, Sendable {
        case empty
        case tooLong
        case containsControl
        /// The title shows nothing, or does not show what it contains.
        case misleading(DisplayText.Violation)

        /// The violation and the rule, as a text for the client.
        package var explanation: String {
            switch self {
            case .empty: "title is empty; allowed are 1 to \(RoomTitle.maximumScalars) characters"
            case .tooLong: "title is too long; allowed are 1 to \(RoomTitle.maximumScalars) characters"
            case .containsControl: "title contains a control character, which is not allowed"
            case .misleading(let violation): "title \(violation.explanation)"
            }
        }
    }

    /// Makes a title from a text, without white space at its ends.
    package init(_ text: String) throws(Violation) {
        let isSpace: (Unicode.Scalar) -> Bool = { $0.properties.isWhitespace }
        let head = text.unicodeScalars.drop(while: isSpace)
        let end = head.lastIndex { !isSpace($0) }.map { head.index(after: $0) } ?? head.startIndex
        let trimmed = head[..<end]
        guard !trimmed.isEmpty else { throw .empty }
        guard trimmed.count <= Self.maximumScalars else { throw .tooLong }
        guard !trimmed.contains(where: Self.isControl) else { throw .containsControl }
        self.text = String(trimmed)
    }

    /// - Throws: Also `misleading`, for titles that users choose (`DisplayText`). Titles from imports or operators are not checked for it.
    package init(chosen text: String) throws(Violation) {
        self = try RoomTitle(text)
        if let violation = DisplayText.violation(in: self.text) { throw .misleading(violation) }
    }

    /// Whether a scalar is a control character, or a separator that would break a line.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
