/// The rules for the text of a message.
package enum MessageText {
    package enum Violation: Error, Hashable, Sendable {
        case empty
        case tooLong(limit: Int)
        case containsNUL

        /// What was wrong and what is allowed, for the client.
        package var explanation: String {
            switch self {
            case .empty: "text is empty; allowed are 1 or more characters"
            case .tooLong(let limit): "text is too long; allowed are at most \(limit) characters"
            case .containsNUL: "text contains a NUL character, which is not allowed"
            }
        }
    }

    /// What forbids `text` as a message, if anything.
    /// - Parameter limit: the most Unicode scalars.
    package static func violation(in text: String, limit: Int) -> Violation? {
        if text.isEmpty { return .empty }
        // A scalar takes at least one byte, so a short text needs no count.
        if text.utf8.count > limit, text.unicodeScalars.count > limit { return .tooLong(limit: limit) }
        if text.utf8.contains(0) { return .containsNUL }
        return nil
    }
}
