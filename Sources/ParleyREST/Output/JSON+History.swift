import ParleyModel

extension JSON {
    /// An event as v1 clients see it, on sockets and here alike; `type` says which.
    init(_ event: LogEvent) {
        switch event.body {
        case .message:
            self = JSON(message: event) ?? .null
        case .joined(let user):
            self = .object([
                ("type", .string("joined")),
                ("thread_id", .string(event.thread.text)),
                ("epoch", .string(event.position.epoch.text)),
                ("seq", .integer(event.position.seq)),
                ("date", .integer(event.milliseconds / 1000)),
                ("date_ms", .integer(event.milliseconds)),
                ("user_id", .string(user.id.text)),
                ("username", .string(user.name)),
                // So far, whoever joins does so by themselves.
                ("by_id", .string(user.id.text)),
            ])
        }
    }

    init(_ page: HistoryPage) {
        self = .object(
            [
                ("messages", .array(page.messages.map { JSON($0) })),
                ("has_more_before", .bool(page.hasMoreBefore)),
                ("has_more_after", .bool(page.hasMoreAfter)),
            ] + Self.end(page.head?.position))
    }

    init(_ page: LogPage) {
        self = .object(
            [("events", .array(page.events.map { JSON($0) })), ("has_more", .bool(page.hasMore))]
                + Self.end(page.head?.position))
    }

    private static func end(_ head: Position?) -> [(String, JSON)] {
        [
            ("epoch", head.map { .string($0.epoch.text) } ?? .null),
            ("head_seq", .integer(head?.seq ?? 0)),
        ]
    }

    init(_ thread: ThreadSummary) {
        self = .object([
            ("id", .string(thread.membership.thread.id.text)),
            ("title", .string(thread.membership.thread.title)),
            ("kind", .string(thread.membership.thread.kind.rawValue)),
            ("role", .string(thread.membership.role.rawValue)),
            ("epoch", thread.head.map { .string($0.epoch.text) } ?? .null),
            ("seq", .integer(thread.head?.seq ?? 0)),
            ("unread", .integer(thread.unreadCount)),
            ("read_seq", .integer(thread.readSeq)),
            ("last_message", thread.lastMessage.flatMap { JSON(message: $0) } ?? .null),
        ])
    }
}
