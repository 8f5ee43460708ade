import ParleyModel

extension JSON {
    /// An event as v1 clients see it, on sockets and here alike; `type` says which.
    init(_ event: LogEvent) {
        guard event.message == nil else {
            self = JSON(message: event) ?? .null
            return
        }
        let (type, fields) = Self.content(event.body)
        self = .object(
            [
                ("type", .string(type)),
                ("thread_id", .string(event.thread.text)),
                ("epoch", .string(event.position.epoch.text)),
                ("seq", .integer(event.position.seq)),
                ("date", .integer(event.milliseconds / 1000)),
                ("date_ms", .integer(event.milliseconds)),
            ] + fields)
    }

    /// What an event that is no message says.
    private static func content(_ body: LogEvent.Body) -> (type: String, fields: [(String, JSON)]) {
        func id(_ user: UserID) -> JSON { .string(user.text) }
        func subject(_ message: MessageID, _ seq: Int64) -> [(String, JSON)] {
            [("message_id", .string(message.text)), ("message_seq", .integer(seq))]
        }
        func person(_ user: User, by: UserID) -> [(String, JSON)] {
            [("user_id", id(user.id)), ("username", .string(user.name)), ("by_id", id(by))]
        }
        return switch body {
        case .message: ("message", [])
        case .joined(let user, let by): ("joined", person(user, by: by ?? user.id))
        case .left(let user, let by): ("left", person(user, by: by))
        case .edited(let edit):
            (
                "edited",
                subject(edit.messageID, edit.messageSeq) + [("text", .string(edit.text)), ("by_id", id(edit.by))]
            )
        case .deleted(let deletion):
            ("deleted", subject(deletion.messageID, deletion.messageSeq) + [("by_id", id(deletion.by))])
        case .reaction(let reaction):
            (
                "reaction",
                subject(reaction.messageID, reaction.messageSeq) + [
                    ("user_id", id(reaction.user)), ("emoji", .string(reaction.emoji)), ("on", .bool(reaction.isOn)),
                ]
            )
        case .renamed(let title, let by): ("renamed", [("title", .string(title)), ("by_id", id(by))])
        case .role(let user, let role, let by):
            ("role", [("user_id", id(user)), ("role", .string(role.rawValue)), ("by_id", id(by))])
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

    init(_ page: SearchPage) {
        self = .object([
            ("results", .array(page.messages.map { JSON($0) })), ("has_more", .bool(page.hasMore)),
        ])
    }

    /// A thread as somebody sees it who is no member.
    init(_ thread: ThreadInfo, head: Position?) {
        self = .object([
            ("id", .string(thread.id.text)), ("title", .string(thread.title)),
            ("kind", .string(thread.kind.rawValue)), ("epoch", head.map { .string($0.epoch.text) } ?? .null),
            ("seq", .integer(head?.seq ?? 0)),
        ])
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
