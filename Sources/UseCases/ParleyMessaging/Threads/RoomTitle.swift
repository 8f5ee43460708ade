package import ParleyModel

/// The title of a room: 1 to 64 Unicode scalars, no control characters, no white space at the ends.
package struct RoomTitle: Hashable, Sendable {
    /// Maximum title length, in Unicode scalars.
    package static let maximumScalars = 64

    package let text: String

    /// The reason that a text is not a valid title.
    package enum Violation: Error, Hashable, Sendable {
        case empty
        case tooLong
        case containsControl
        /// Shows nothing, or not what it contains.
        case misleading(DisplayText.Violation)

        /// The violation and the rule, for the client.
        package var explanation: String {
            switch self {
            case .empty: "title is empty; allowed are 1 to \(RoomTitle.maximumScalars) characters"
            case .tooLong: "title is too long; allowed are 1 to \(RoomTitle.maximumScalars) characters"
            case .containsControl: "title contains a control character, which is not allowed"
            case .misleading(let violation): "title \(violation.explanation)"
            }
        }
    }

    /// Trims `text`.
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

    /// - Throws: also `misleading`, for titles that users give a room (`DisplayText`). Titles that an import or an
    ///   operator brings are taken as they are.
    package init(chosen text: String) throws(Violation) {
        self = try RoomTitle(text)
        if let violation = DisplayText.violation(in: self.text) { throw .misleading(violation) }
    }

    /// Control characters, and separators that would break a line.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
