/// A question that replaces the composer.
package struct Prompt: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case room
        case direct
        case search
        case reaction
        case deletion
        case leaving
    }

    package let kind: Kind
    /// The message or thread that the question concerns.
    let subject: String
    /// The suggested answers, and the selected one.
    var suggestions: [String] = []
    var selected: Int?

    init(_ kind: Kind, subject: String = "") {
        self.kind = kind
        self.subject = subject
    }

    /// The emojis that digits select.
    static let emojis = ["👍", "❤️", "😂", "😮", "😢", "🎉"]

    var question: String {
        switch kind {
        case .room: "Room: "
        case .direct: "User: "
        case .search: "Search: "
        case .reaction:
            Self.emojis.enumerated().map { "\($0.offset + 1) \(SafeText.line($0.element))" }.joined(separator: "  ")
                + "  or an emoji: "
        case .deletion: "Delete this message? [y/N] "
        case .leaving: "Leave this conversation? [y/N] "
        }
    }

    /// Whether rooms or users are suggested while the user types.
    var hasSuggestions: Bool { kind == .room || kind == .direct }
}
