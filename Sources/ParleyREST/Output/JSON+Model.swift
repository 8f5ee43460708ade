import ParleyModel

extension JSON {
    /// A message as classic clients see it, on sockets and here alike; `nil` if the event is none.
    init?(message event: LogEvent) {
        guard let message = event.message else { return nil }
        var members: [(String, JSON)] = [
            ("id", .string(message.id.text)),
            ("date", .integer(event.milliseconds / 1000)),
            ("text", .string(message.text)),
            ("sender_id", .string(message.sender.id.text)),
            ("sender_name", .string(message.sender.name)),
            ("thread_id", .string(event.thread.text)),
            ("seq", .integer(event.position.seq)),
            ("epoch", .string(event.position.epoch.text)),
            ("date_ms", .integer(event.milliseconds)),
        ]
        if let clientID = message.clientID { members.append(("client_id", .string(clientID))) }
        members.append(("type", .string("message")))
        if !message.parts.isEmpty { members.append(("parts", .raw(MessagePart.json(message.parts)))) }
        if let replyTo = message.replyTo { members.append(("reply_to", .integer(replyTo))) }
        self = .object(members + Self.fate(message.fate))
    }

    /// What became of a message; nothing for one that is as it was sent.
    private static func fate(_ fate: MessageFate) -> [(String, JSON)] {
        var members: [(String, JSON)] = []
        if let date = fate.editedMilliseconds { members.append(("edited_ms", .integer(date))) }
        if fate.isDeleted { members.append(("deleted", .bool(true))) }
        if fate.isErased { members.append(("erased", .bool(true))) }
        guard !fate.reactions.isEmpty else { return members }
        let reactions = fate.reactions.map { reaction in
            JSON.object([
                ("emoji", .string(reaction.emoji)), ("count", .integer(reaction.count)),
                ("users", .array(reaction.users.map { .string($0.text) })),
            ])
        }
        return members + [("reactions", .array(reactions))]
    }

    init(_ user: User) {
        self = .object([("id", .string(user.id.text)), ("username", .string(user.name))])
    }

    /// A user with what they show of themselves.
    init(_ user: User, _ profile: Profile?) {
        var members: [(String, JSON)] = [("id", .string(user.id.text)), ("username", .string(user.name))]
        if let name = profile?.displayName { members.append(("display_name", .string(name))) }
        if let url = profile?.avatarURL { members.append(("avatar_url", .string(url))) }
        self = .object(members)
    }

    init(_ member: Member, of thread: ThreadID) {
        self = .object([
            ("thread_id", .string(thread.text)), ("user", JSON(member.user)), ("role", .string(member.role.rawValue)),
        ])
    }

    /// Where an event stands in the log, as v1 sockets acknowledge it.
    /// - Parameter clientID: of a send, if it had one.
    init(_ receipt: Receipt, clientID: String? = nil) {
        var members: [(String, JSON)] = [("type", .string("ack"))]
        if let id = receipt.messageID {
            members += [("level", .string("accepted")), ("id", .string(id.text))]
        }
        members += [
            ("thread_id", .string(receipt.thread.text)), ("epoch", .string(receipt.position.epoch.text)),
            ("seq", .integer(receipt.position.seq)), ("date", .integer(receipt.milliseconds / 1000)),
            ("date_ms", .integer(receipt.milliseconds)),
        ]
        if let clientID { members.append(("client_id", .string(clientID))) }
        if receipt.isRepeat { members.append(("repeat", .bool(true))) }
        self = .object(members)
    }

    init(_ entry: InboxEntry) {
        self = .object([
            ("id", .string(entry.thread.id.text)),
            ("title", .string(entry.thread.title)),
            ("last_message", entry.lastMessage.flatMap { JSON(message: $0) } ?? .null),
            ("unread_count", .integer(entry.unreadCount)),
        ])
    }

    init(_ page: MessagePage) {
        self = .object([
            ("messages", .array(page.messages.compactMap { JSON(message: $0) })),
            ("end", .bool(page.isEnd)),
        ])
    }
}
