import ParleyModel

/// The content of an event within its payload: everything before its position.
enum EventBody {
    /// The number of fields in every content: type, thread, epoch, seq and two dates.
    private static var commonFields: Int { 6 }

    // MARK: Writing

    /// Opens the map of a message and writes everything before its position.
    static func open(_ message: Message, in thread: ThreadID, _ writer: inout EventWriter) {
        let optional = [
            message.clientID != nil, !message.parts.isEmpty, message.replyTo != nil,
            message.senderDisplayName != nil, message.isDeleted, message.isErased,
        ]
        writer.open(commonFields + 4 + optional.count { $0 })
        writer.field("type", "message")
        writer.field("id", message.id.text)
        writer.field("text", message.text)
        writer.field("sender_id", message.sender.id.text)
        writer.field("sender_name", message.sender.name)
        writer.field("thread_id", thread.text)
        if let clientID = message.clientID { writer.field("client_id", clientID) }
        if !message.parts.isEmpty {
            writer.field("parts", ChannelsValue.array(message.parts.map { ChannelsValue($0.tree) }))
        }
        if let replyTo = message.replyTo { writer.field("reply_to", replyTo) }
        if let name = message.senderDisplayName { writer.field("sender_display_name", name) }
        // Set on placeholders only, which are never sent.
        if message.isDeleted { writer.field("deleted", .bool(true)) }
        if message.isErased { writer.field("erased", .bool(true)) }
    }

    /// Opens the map of an event that is not a message and writes everything before its position.
    static func open(_ body: LogEvent.Body, in thread: ThreadID, _ writer: inout EventWriter) {
        let fields = fields(of: body)
        writer.open(commonFields + fields.count)
        writer.field("type", body.kind.rawValue)
        for (name, value) in fields { writer.field(name, value) }
        writer.field("thread_id", thread.text)
    }

    private typealias Fields = [(name: String, value: ChannelsValue)]

    private static func fields(of body: LogEvent.Body) -> Fields {
        switch body {
        case .message:
            // A message has a map of its own.
            return []
        case .edited(let edit):
            return message(edit.messageID, edit.messageSeq) + [("text", .text(edit.text)), by(edit.by)]
        case .deleted(let deletion):
            return message(deletion.messageID, deletion.messageSeq) + [by(deletion.by)]
        case .reaction(let reaction):
            let own: Fields = [
                ("user_id", .text(reaction.user.text)), ("emoji", .text(reaction.emoji)), ("on", .bool(reaction.isOn)),
            ]
            return message(reaction.messageID, reaction.messageSeq) + own
        case .joined(let user, let by): return self.user(user) + (by.map { [self.by($0)] } ?? [])
        case .left(let user, let by): return self.user(user) + [self.by(by)]
        case .renamed(let title, let by): return [("title", .text(title)), self.by(by)]
        case .role(let user, let role, let by):
            return [("user_id", .text(user.text)), ("role", .text(role.rawValue)), self.by(by)]
        case .visibility(let visibility, let by): return [("visibility", .text(visibility.rawValue)), self.by(by)]
        }
    }

    private static func message(_ id: MessageID, _ seq: Int64) -> Fields {
        [("message_id", .text(id.text)), ("message_seq", .int(seq))]
    }

    private static func user(_ user: User) -> Fields {
        [("user_id", .text(user.id.text)), ("user_name", .text(user.name))]
    }

    private static func by(_ user: UserID) -> (name: String, value: ChannelsValue) { ("by_id", .text(user.text)) }

    // MARK: Read cursors

    /// Reads a message.
    /// - Parameter own: The part of the payload that is for nodes only; absent if it would be empty.
    static func message(_ content: ChannelsValue, _ own: ChannelsValue?) -> LogEvent.Body? {
        guard let id = content["id"]?.text.flatMap({ MessageID($0) }), let text = content["text"]?.text,
            let sender = content["sender_id"]?.text.flatMap({ UserID($0) }), let name = content["sender_name"]?.text
        else { return nil }
        let parts = (content["parts"]?.elements ?? []).map { $0.tree.flatMap { MessagePart($0) } }
        guard !parts.contains(nil) else { return nil }
        return .message(
            Message(
                id: id, sender: User(id: sender, name: name), text: text, clientID: content["client_id"]?.text,
                recipient: own?["recipient"].flatMap(EventPayload.user), parts: parts.compactMap(\.self),
                replyTo: content["reply_to"]?.integer, senderDisplayName: content["sender_display_name"]?.text,
                status: MessageStatus(
                    isDeleted: content["deleted"]?.bool ?? false, isErased: content["erased"]?.bool ?? false)))
    }

    /// Reads an event that is not a message; `nil` for a type that is unknown to this version, or if a field is
    /// missing.
    static func other(_ content: ChannelsValue) -> LogEvent.Body? {
        guard let kind = content["type"]?.text.flatMap(LogEvent.Kind.init(rawValue:)) else { return nil }
        let by = content["by_id"]?.text.flatMap { UserID($0) }
        switch kind {
        case .edited, .deleted, .reaction: return aboutMessage(content, kind, by: by)
        case .joined:
            return namedUser(content).map { .joined($0, by: by) }
        case .left:
            guard let user = namedUser(content), let by else { return nil }
            return .left(user, by: by)
        case .renamed:
            guard let title = content["title"]?.text, let by else { return nil }
            return .renamed(title: title, by: by)
        case .role:
            guard let user = content["user_id"]?.text.flatMap({ UserID($0) }), let by,
                let role = content["role"]?.text.flatMap(Membership.Role.init(rawValue:))
            else { return nil }
            return .role(user, role, by: by)
        case .visibility:
            guard let by, let visibility = content["visibility"]?.text.flatMap(RoomVisibility.init(rawValue:)) else {
                return nil
            }
            return .visibility(visibility, by: by)
        case .message:
            return nil
        }
    }

    private static func aboutMessage(_ content: ChannelsValue, _ kind: LogEvent.Kind, by: UserID?) -> LogEvent.Body? {
        guard let id = content["message_id"]?.text.flatMap({ MessageID($0) }),
            let seq = content["message_seq"]?.integer
        else { return nil }
        switch kind {
        case .edited:
            guard let text = content["text"]?.text, let by else { return nil }
            return .edited(MessageEdit(messageID: id, messageSeq: seq, text: text, by: by))
        case .deleted:
            return by.map { .deleted(MessageDeletion(messageID: id, messageSeq: seq, by: $0)) }
        default:
            guard let user = content["user_id"]?.text.flatMap({ UserID($0) }), let emoji = content["emoji"]?.text,
                let isOn = content["on"]?.bool
            else { return nil }
            return .reaction(Reaction(messageID: id, messageSeq: seq, user: user, emoji: emoji, isOn: isOn))
        }
    }

    private static func namedUser(_ content: ChannelsValue) -> User? {
        guard let id = content["user_id"]?.text.flatMap({ UserID($0) }), let name = content["user_name"]?.text
        else { return nil }
        return User(id: id, name: name)
    }
}
