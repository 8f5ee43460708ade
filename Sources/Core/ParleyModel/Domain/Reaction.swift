/// A reaction of a user to a message, or its removal.
package struct Reaction: Hashable, Sendable {
    package let messageID: MessageID
    /// The seq of the message in the log.
    package let messageSeq: Int64
    package let user: UserID
    /// The emoji; see `violation(inEmoji:)`.
    package let emoji: String
    /// Whether the reaction is added rather than removed.
    package let isOn: Bool

    /// The maximum length of an emoji, in UTF-8 bytes. The longest families and flags in Unicode take 35.
    package static let maximumEmojiBytes = 64

    package init(messageID: MessageID, messageSeq: Int64, user: UserID, emoji: String, isOn: Bool) {
        self.messageID = messageID
        self.messageSeq = messageSeq
        self.user = user
        self.emoji = emoji
        self.isOn = isOn
    }

    /// The redacted form for an erased user: a removal without effect.
    package var erased: Reaction {
        Reaction(messageID: messageID, messageSeq: messageSeq, user: user, emoji: "", isOn: false)
    }

    /// Returns the reason that a text is not a valid reaction, as a text for the client; `nil` if it is valid.
    ///
    /// Names such as `:wave:` are allowed, since clients may have custom images for them.
    package static func violation(inEmoji emoji: String) -> String? {
        if emoji.isEmpty { return "emoji is empty" }
        if emoji.utf8.count > maximumEmojiBytes {
            return "emoji is too long; allowed are at most \(maximumEmojiBytes) bytes"
        }
        let isClean = emoji.unicodeScalars.allSatisfy { scalar in
            !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
        }
        return isClean ? nil : "emoji contains a space or a control character, which is not allowed"
    }
}

/// The number of users who reacted to a message with a given emoji.
package struct ReactionCount: Hashable, Sendable {
    package let emoji: String
    package let count: Int64
    /// The first users in the byte order of their ids, at most `maximumUsers`.
    package let users: [UserID]

    /// The maximum number of users listed.
    package static let maximumUsers = 50

    package init(emoji: String, count: Int64, users: [UserID]) {
        self.emoji = emoji
        self.count = count
        self.users = users
    }
}
