public import Foundation
package import ParleyJSON

/// The messages that notify a user.
public enum ChatNotificationLevel: String, Hashable, Sendable, Codable {
    /// Every message.
    case all
    /// Messages that mention the user or everyone.
    case mentions
    /// No message. It is not called `none`, which an optional has too.
    case nothing = "none"
    /// An unknown level.
    case other
}

/// A user's choice of the messages that notify them.
///
/// Nothing notifies before ``mutedUntil``, and nothing in a thread before its ``ChatThreadNotifications/mutedUntil``. After
/// that, the level of the thread decides, or the default for its kind; nothing notifies in quiet hours. What does not
/// notify counts as unread as before.
public struct ChatNotificationSettings: Hashable, Sendable {
    /// The default for direct threads.
    public var direct: ChatNotificationLevel
    /// The default for groups.
    public var group: ChatNotificationLevel
    /// The default for rooms.
    public var room: ChatNotificationLevel
    /// A time of the day in which nothing notifies; `nil` if there is none.
    public var quietHours: ChatQuietHours?
    /// The date before which nothing notifies; `nil` if there is none. A date that has passed has no effect.
    public var mutedUntil: Date?
    /// The threads with settings of their own, sorted by their IDs, at most 1,000.
    public var threads: [ChatThreadNotifications]

    /// Creates settings. A user who has changed nothing has the defaults.
    /// - Parameters:
    ///   - direct: The default for direct threads.
    ///   - group: The default for groups.
    ///   - room: The default for rooms.
    ///   - quietHours: A time of the day in which nothing notifies.
    ///   - mutedUntil: The date before which nothing notifies.
    ///   - threads: The threads with settings of their own.
    public init(
        direct: ChatNotificationLevel = .all, group: ChatNotificationLevel = .all,
        room: ChatNotificationLevel = .mentions, quietHours: ChatQuietHours? = nil, mutedUntil: Date? = nil,
        threads: [ChatThreadNotifications] = []
    ) {
        self.direct = direct
        self.group = group
        self.room = room
        self.quietHours = quietHours
        self.mutedUntil = mutedUntil
        self.threads = threads
    }

    /// Returns the level that applies to a thread: its own, or the default for its kind.
    /// - Parameter thread: The thread. One of an unknown kind is a room.
    public func level(in thread: ChatThread) -> ChatNotificationLevel {
        if let level = threads.first(where: { $0.threadID == thread.id })?.level { return level }
        return switch thread.kind {
        case .direct: direct
        case .group: group
        case .room, .other: room
        }
    }
}

/// A user's settings for a thread. They end with the membership.
public struct ChatThreadNotifications: Hashable, Sendable, Identifiable {
    /// The ID of the thread.
    public var id: ChatThread.ID { threadID }
    /// The ID of the thread.
    public let threadID: ChatThread.ID
    /// The messages that notify; `nil` for the user's default.
    public var level: ChatNotificationLevel?
    /// The date before which nothing in the thread notifies; `nil` if there is none. A date that has passed has no effect.
    public var mutedUntil: Date?

    /// Creates settings.
    /// - Parameters:
    ///   - threadID: The ID of the thread.
    ///   - level: The messages that notify; `nil` for the user's default.
    ///   - mutedUntil: The date before which nothing in the thread notifies.
    public init(threadID: ChatThread.ID, level: ChatNotificationLevel? = nil, mutedUntil: Date? = nil) {
        self.threadID = threadID
        self.level = level
        self.mutedUntil = mutedUntil
    }
}

/// A time of the day in which nothing notifies, by the clock of a time zone. It goes past midnight if it ends before it
/// begins.
public struct ChatQuietHours: Hashable, Sendable, Codable {
    /// The first minute, counted from midnight, 0 to 1,439.
    public var from: Int
    /// The minute before which the time ends, 0 to 1,439; not ``from``.
    public var to: Int
    /// The name of the time zone: `Area/Location` of the IANA database, or `UTC`.
    public var timeZone: String

    /// Creates a time of the day.
    ///
    /// ```swift
    /// let night = ChatQuietHours(from: 22 * 60, to: 7 * 60, timeZone: "Europe/Berlin")
    /// ```
    /// - Parameters:
    ///   - from: The first minute, counted from midnight, 0 to 1,439.
    ///   - to: The minute before which the time ends, 0 to 1,439; not `from`.
    ///   - timeZone: The name of the time zone, that of the device by default.
    public init(from: Int, to: Int, timeZone: String = TimeZone.current.identifier) {
        self.from = from
        self.to = to
        self.timeZone = timeZone
    }
}

extension ChatNotificationSettings {
    /// Reads settings from REST.
    init?(_ tree: JSONTree) {
        guard let levels = tree["default"] else { return nil }
        func level(_ kind: String) -> ChatNotificationLevel {
            levels[kind]?.text.flatMap { ChatNotificationLevel(rawValue: $0) } ?? .other
        }
        self.init(
            direct: level("direct"), group: level("group"), room: level("room"),
            quietHours: tree["quiet"].flatMap { ChatQuietHours($0) },
            mutedUntil: tree["muted_until_ms"]?.milliseconds.map { Date(milliseconds: $0) },
            threads: (tree["threads"]?.elements ?? []).compactMap { ChatThreadNotifications($0) })
    }
}

extension ChatThreadNotifications {
    /// Reads the settings for a thread from REST.
    init?(_ tree: JSONTree) {
        guard let thread = tree["thread_id"]?.text else { return nil }
        self.init(
            threadID: ChatThread.ID(thread),
            level: tree["level"]?.text.map { ChatNotificationLevel(rawValue: $0) ?? .other },
            mutedUntil: tree["muted_until_ms"]?.milliseconds.map { Date(milliseconds: $0) })
    }
}

extension ChatQuietHours {
    /// Reads a time of the day from REST, whose clock has minutes as `22:00`.
    package init?(_ tree: JSONTree) {
        guard let from = tree["from"]?.text.flatMap(Self.minute), let to = tree["to"]?.text.flatMap(Self.minute),
            let timeZone = tree["timezone"]?.text
        else { return nil }
        self.init(from: from, to: to, timeZone: timeZone)
    }

    /// The fields, as REST takes them. The server refuses a minute outside of a day.
    package var json: JSONTree {
        .object(["from": .text(Self.text(from)), "to": .text(Self.text(to)), "timezone": .text(timeZone)])
    }

    private static func minute(_ text: String) -> Int? {
        guard let parts = text.wholeMatch(of: /([01][0-9]|2[0-3]):([0-5][0-9])/), let hour = Int(parts.1),
            let minute = Int(parts.2)
        else { return nil }
        return hour * 60 + minute
    }

    private static func text(_ minute: Int) -> String {
        func digits(_ number: Int) -> String { (0..<10).contains(number) ? "0\(number)" : "\(number)" }
        return "\(digits(minute / 60)):\(digits(minute % 60))"
    }
}
