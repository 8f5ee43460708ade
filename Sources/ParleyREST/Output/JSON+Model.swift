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
        self = .object(members)
    }

    init(_ user: User) {
        self = .object([("id", .string(user.id.text)), ("username", .string(user.name))])
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
