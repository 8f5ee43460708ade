/// An entry of a thread's log.
package struct ThreadEvent: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case message(StoredMessage)
        case edited(message: Int, text: String)
        case deleted(message: Int)
        case reaction(message: Int, user: String, emoji: String, isOn: Bool)
        case joined(ChatUser)
        case left(ChatUser)
        case renamed(String)
        case role(user: String, role: ChatRole)
        case visibility(ChatVisibility)
        case unknown
    }

    package let thread: String
    package let epoch: String
    package let seq: Int
    /// The server's name of the type.
    package let type: String
    package let milliseconds: Int64
    /// The user who caused the event, if the content names another user.
    package let by: String?
    package let content: Content
}

/// A message of the log, as the cache stores it.
package struct StoredMessage: Hashable, Sendable {
    package var thread: String
    package var seq: Int
    package var id: String
    package var clientID: String?
    package var senderID: String
    package var senderName: String
    package var senderDisplayName: String?
    package var text: String
    package var parts: [ChatPart] = []
    package var replyTo: Int?
    package var milliseconds: Int64
    package var editedMilliseconds: Int64?
    package var isDeleted = false
    package var isErased = false
    package var reactions: [ChatReaction] = []

    package init(
        thread: String, seq: Int, id: String, clientID: String?, senderID: String, senderName: String, text: String,
        milliseconds: Int64
    ) {
        self.thread = thread
        self.seq = seq
        self.id = id
        self.clientID = clientID
        self.senderID = senderID
        self.senderName = senderName
        self.text = text
        self.milliseconds = milliseconds
    }

    /// Adds or removes a user's reaction. Repeating the change has no effect.
    package mutating func react(_ emoji: String, by user: String, isOn: Bool) {
        let user = ChatUser.ID(user)
        guard let index = reactions.firstIndex(where: { $0.emoji == emoji }) else {
            if isOn { reactions.append(ChatReaction(emoji: emoji, count: 1, users: [user])) }
            return
        }
        let isListed = reactions[index].users.contains(user)
        switch (isOn, isListed) {
        case (true, false):
            reactions[index].count += 1
            if reactions[index].users.count < 50 { reactions[index].users.append(user) }
        case (false, true):
            reactions[index].count -= 1
            reactions[index].users.removeAll { $0 == user }
            if reactions[index].count <= 0 { reactions.remove(at: index) }
        case (true, true): break
        case (false, false):
            // Only 50 users are listed, so this user may be one of the others.
            if reactions[index].count > reactions[index].users.count { reactions[index].count -= 1 }
        }
    }

    /// Removes the content of a deleted message.
    package mutating func delete() {
        isDeleted = true
        text = ""
        parts = []
        reactions = []
    }
}
