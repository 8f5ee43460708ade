/// An event that is no message, as flat fields: how tables and reports keep every kind alike.
package struct EventFields: Hashable, Sendable {
    /// What the event is called: `edited`, `deleted`, `reaction`, `joined`, `left`, `renamed`, `role`.
    package var kind: String
    /// Who joined, left, has a role or reacts; else who did it.
    package var user: UserID
    /// The name of who joined or left; empty for other kinds.
    package var userName: String
    /// Who did it to `user`; `nil`: `user`.
    package var by: UserID?
    package var messageID: MessageID?
    package var messageSeq: Int64?
    /// The new text, the emoji, the title or the role.
    package var text: String?
    /// Of a reaction.
    package var isOn: Bool?

    package init(
        kind: String, user: UserID, userName: String = "", by: UserID? = nil, messageID: MessageID? = nil,
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
                kind: "edited", user: edit.by, messageID: edit.messageID, messageSeq: edit.messageSeq, text: edit.text)
        case .deleted(let deletion):
            self.init(
                kind: "deleted", user: deletion.by, messageID: deletion.messageID, messageSeq: deletion.messageSeq)
        case .reaction(let reaction):
            self.init(
                kind: "reaction", user: reaction.user, messageID: reaction.messageID,
                messageSeq: reaction.messageSeq, text: reaction.emoji, isOn: reaction.isOn)
        case .joined(let user, let by):
            self.init(kind: "joined", user: user.id, userName: user.name, by: by)
        case .left(let user, let by):
            self.init(kind: "left", user: user.id, userName: user.name, by: by)
        case .renamed(let title, let by):
            self.init(kind: "renamed", user: by, text: title)
        case .role(let user, let role, let by):
            self.init(kind: "role", user: user, by: by, text: role.rawValue)
        }
    }

    /// The event; `nil` for a kind that this version does not know, or if something is missing.
    package var body: LogEvent.Body? {
        switch kind {
        case "edited", "deleted", "reaction":
            guard let messageID, let messageSeq else { return nil }
            return aboutMessage(messageID, messageSeq)
        case "joined":
            return .joined(User(id: user, name: userName), by: by)
        case "left":
            return by.map { .left(User(id: user, name: userName), by: $0) }
        case "renamed":
            return text.map { .renamed(title: $0, by: user) }
        case "role":
            guard let by, let role = text.flatMap(Membership.Role.init(rawValue:)) else { return nil }
            return .role(user, role, by: by)
        default:
            return nil
        }
    }

    private func aboutMessage(_ id: MessageID, _ seq: Int64) -> LogEvent.Body? {
        switch kind {
        case "edited":
            return text.map { .edited(MessageEdit(messageID: id, messageSeq: seq, text: $0, by: user)) }
        case "reaction":
            guard let text, let isOn else { return nil }
            return .reaction(Reaction(messageID: id, messageSeq: seq, user: user, emoji: text, isOn: isOn))
        default:
            return .deleted(MessageDeletion(messageID: id, messageSeq: seq, by: user))
        }
    }

    /// Which earlier events one of this kind takes the effect of: those of these kinds, about the same message (edits
    /// and reactions), of the same user (but for edits and titles), with the same emoji (reactions).
    package var rivals: [String] {
        switch kind {
        case "joined", "left": ["joined", "left"]
        case "role": ["role", "joined", "left"]
        default: [kind]
        }
    }
}
