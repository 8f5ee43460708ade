/// The rules for the text of a message.
package enum MessageText {
    /// The reason that a text is not allowed in a message.
    package enum Violation: Error, Hashable, Sendable {
        case empty
        case tooLong(limit: Int)
        case containsNUL

        /// The violation and the rule, as a text for the client.
        package var explanation: String {
            switch self {
            case .empty: "text is empty; allowed are 1 or more characters"
            case .tooLong(let limit): "text is too long; allowed are at most \(limit) characters"
            case .containsNUL: "text contains a NUL character, which is not allowed"
            }
        }
    }

    /// Returns the reason that `text` is not allowed in a message, or `nil` if it is allowed.
    /// - Parameter limit: The maximum length in Unicode scalars.
    package static func violation(in text: String, limit: Int) -> Violation? {
        if text.isEmpty { return .empty }
        // Each scalar takes at least one byte, so a short text needs no counting.
        if text.utf8.count > limit, text.unicodeScalars.count > limit { return .tooLong(limit: limit) }
        if text.utf8.contains(0) { return .containsNUL }
        return nil
    }
}
