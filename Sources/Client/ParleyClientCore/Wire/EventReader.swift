package import ParleyJSON

extension ThreadEvent {
    /// Reads an event of the log; `nil` if the frame is not an event. Events of unknown types count as well.
    package init?(_ tree: JSONTree) {
        guard let thread = tree["thread_id"]?.text, let seq = tree["seq"]?.place, let type = tree["type"]?.text else {
            return nil
        }
        self.thread = thread
        self.seq = seq
        self.type = type
        epoch = tree["epoch"]?.text ?? ""
        milliseconds = tree["date_ms"]?.milliseconds ?? (tree["date"]?.seconds ?? 0) * 1000
        by = tree["by_id"]?.text
        content = Self.content(type, tree, thread: thread) ?? .unknown
    }

    private static func content(_ type: String, _ tree: JSONTree, thread: String) -> Content? {
        let target = tree["message_seq"]?.place
        let user = tree["user_id"]?.text
        switch type {
        case "message": return StoredMessage(tree, thread: thread).map { .message($0) }
        case "edited":
            guard let target else { return nil }
            return .edited(message: target, text: tree["text"]?.text ?? "")
        case "deleted":
            guard let target else { return nil }
            return .deleted(message: target)
        case "reaction":
            guard let target, let user, let emoji = tree["emoji"]?.text else { return nil }
            return .reaction(message: target, user: user, emoji: emoji, isOn: tree["on"]?.flag ?? false)
        case "joined":
            return user.map { .joined(ChatUser(id: ChatUser.ID($0), username: tree["username"]?.text ?? $0)) }
        case "left": return user.map { .left(ChatUser(id: ChatUser.ID($0), username: tree["username"]?.text ?? $0)) }
        case "renamed": return tree["title"]?.text.map { .renamed($0) }
        case "role":
            guard let user, let role = tree["role"]?.text else { return nil }
            return .role(user: user, role: ChatRole(rawValue: role) ?? .other)
        case "visibility":
            return tree["visibility"]?.text.map { .visibility(ChatVisibility(rawValue: $0) ?? .other) }
        default: return nil
        }
    }
}

extension StoredMessage {
    /// Reads a message from an event, a REST page, a search or an inbox.
    package init?(_ tree: JSONTree, thread: String? = nil) {
        guard let thread = tree["thread_id"]?.text ?? thread, let seq = tree["seq"]?.place, let id = tree["id"]?.text
        else { return nil }
        self.thread = thread
        self.seq = seq
        self.id = id
        clientID = tree["client_id"]?.text
        senderID = tree["sender_id"]?.text ?? ""
        senderName = tree["sender_name"]?.text ?? ""
        senderDisplayName = tree["sender_display_name"]?.text
        text = tree["text"]?.text ?? ""
        parts = (tree["parts"]?.elements ?? []).map { ChatPart($0) }
        replyTo = tree["reply_to"]?.place
        milliseconds = tree["date_ms"]?.milliseconds ?? (tree["date"]?.seconds ?? 0) * 1000
        editedMilliseconds = tree["edited_ms"]?.milliseconds
        isDeleted = tree["deleted"]?.flag ?? false
        isErased = tree["erased"]?.flag ?? false
        reactions = (tree["reactions"]?.elements ?? []).compactMap { ChatReaction($0) }
    }
}

extension ChatReaction {
    package init?(_ tree: JSONTree) {
        guard let emoji = tree["emoji"]?.text else { return nil }
        let users = (tree["users"]?.elements ?? []).compactMap(\.text).map { ChatUser.ID($0) }
        self.init(emoji: emoji, count: tree["count"]?.count ?? users.count, users: users)
    }

    package var json: JSONTree {
        .object([
            "emoji": .text(emoji), "count": .integer(Int64(count)), "users": .array(users.map { .text($0.rawValue) }),
        ])
    }
}
