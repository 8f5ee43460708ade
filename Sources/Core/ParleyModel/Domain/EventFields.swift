/// An event other than a message as flat fields, the common form of all kinds in tables and reports.
package struct EventFields: Hashable, Sendable {
    /// Any kind except `message`.
    package var kind: LogEvent.Kind
    /// The user who joined, left, received the role or reacted; otherwise the user who caused the event.
    package var user: UserID
    /// The name of the user who joined or left; empty for other kinds.
    package var userName: String
    /// The user who caused the event, if that is not `user`.
    package var by: UserID?
    package var messageID: MessageID?
    package var messageSeq: Int64?
    /// The new text, emoji, title, role or visibility.
    package var text: String?
    /// Whether a reaction is added; `nil` for other kinds.
    package var isOn: Bool?

    package init(
        kind: LogEvent.Kind, user: UserID, userName: String = "", by: UserID? = nil, messageID: MessageID? = nil,
        messageSeq: Int64? = nil, text: String? = nil, isOn: Bool? = nil
    ) {
        self.kind = kind
        self.user = user
        self.userName = userName
        self.by = by
        self.messageID = messageID
        self.messageSeq = messageSeq
        self.text = text
        self.isOn = isOn
    }

    /// `nil` for a message.
    package init?(_ body: LogEvent.Body) {
        switch body {
        case .message:
            return nil
        case .edited(let edit):
            self.init(
                kind: .edited, user: edit.by, messageID: edit.messageID, messageSeq: edit.messageSeq, text: edit.text)
        case .deleted(let deletion):
            self.init(
                kind: .deleted, user: deletion.by, messageID: deletion.messageID, messageSeq: deletion.messageSeq)
        case .reaction(let reaction):
            self.init(
                kind: .reaction, user: reaction.user, messageID: reaction.messageID,
                messageSeq: reaction.messageSeq, text: reaction.emoji, isOn: reaction.isOn)
        case .joined(let user, let by):
            self.init(kind: .joined, user: user.id, userName: user.name, by: by)
        case .left(let user, let by):
            self.init(kind: .left, user: user.id, userName: user.name, by: by)
        case .renamed(let title, let by):
            self.init(kind: .renamed, user: by, text: title)
        case .role(let user, let role, let by):
            self.init(kind: .role, user: user, by: by, text: role.rawValue)
        case .visibility(let visibility, let by):
            self.init(kind: .visibility, user: by, text: visibility.rawValue)
        }
    }

    /// The event that the fields describe; `nil` if a field is missing.
    package var body: LogEvent.Body? {
        switch kind {
        case .edited, .deleted, .reaction:
            guard let messageID, let messageSeq else { return nil }
            return aboutMessage(messageID, messageSeq)
        case .joined:
            return .joined(User(id: user, name: userName), by: by)
        case .left:
            return by.map { .left(User(id: user, name: userName), by: $0) }
        case .renamed:
            return text.map { .renamed(title: $0, by: user) }
        case .role:
            guard let by, let role = text.flatMap(Membership.Role.init(rawValue:)) else { return nil }
            return .role(user, role, by: by)
        case .visibility:
            return text.flatMap(RoomVisibility.init(rawValue:)).map { .visibility($0, by: user) }
        case .message:
            return nil
        }
    }

    private func aboutMessage(_ id: MessageID, _ seq: Int64) -> LogEvent.Body? {
        switch kind {
        case .edited:
            return text.map { .edited(MessageEdit(messageID: id, messageSeq: seq, text: $0, by: user)) }
        case .reaction:
            guard let text, let isOn else { return nil }
            return .reaction(Reaction(messageID: id, messageSeq: seq, user: user, emoji: text, isOn: isOn))
        default:
            return .deleted(MessageDeletion(messageID: id, messageSeq: seq, by: user))
        }
    }
}
