public import Foundation
import ParleyJSON

/// The content of a push of a Parley server, read without a client or a connection: in a notification service extension, or
/// when the user taps a notification.
///
/// ```swift
/// func open(_ userInfo: [AnyHashable: Any]) {
///     guard let notification = ChatNotification(userInfo) else { return }
///     show(notification.threadID, notification.seq)
/// }
/// ```
///
/// Pushes can be lost, repeated and out of order. The badge of the app is the ``badge`` of the push with the latest
/// ``date``, and ``isCleared(by:)`` says which notifications a push of the kind ``Kind-swift.enum/clear`` removes.
public struct ChatNotification: Hashable, Sendable {
    /// The purpose of a push.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// A message that the user has not seen.
        case message
        /// The user has read the thread on another device. The push changes the badge and shows nothing.
        case clear
    }

    /// The purpose of the push.
    public let kind: Kind
    /// The ID of the thread.
    public let threadID: ChatThread.ID
    /// The server's ID of the message, as ``ChatMessage/messageID``; `nil` for ``Kind-swift.enum/clear``.
    public let messageID: String?
    /// The `seq` of the message; for ``Kind-swift.enum/clear``, that of the read cursor.
    public let seq: Int
    /// The ID of the sender; `nil` for ``Kind-swift.enum/clear``.
    public let senderID: ChatUser.ID?
    /// The display name of the sender, or the username without one. A long name ends with `…`. `nil` for
    /// ``Kind-swift.enum/clear``.
    public let senderName: String?
    /// The kind of the thread; `nil` for ``Kind-swift.enum/clear``.
    public let threadKind: ChatThread.Kind?
    /// Whether the message mentions the user or everyone.
    public let isMention: Bool
    /// The name of the sender in a direct thread, and the title of a room or group otherwise. A long title ends with `…`.
    /// `nil` for ``Kind-swift.enum/clear``.
    public let title: String?
    /// The text of the message, behind the name of the sender in a room or group. A long text ends with `…`. `nil` for
    /// ``Kind-swift.enum/clear``.
    public let text: String?
    /// The number of unread messages in the thread.
    public let unread: Int
    /// The number of unread messages in all threads, which is the badge of the app.
    public let badge: Int
    /// The date of ``unread`` and ``badge``, by the server's clock.
    public let date: Date

    /// Creates a notification, for tests and previews.
    /// - Parameters:
    ///   - kind: The purpose of the push.
    ///   - threadID: The ID of the thread.
    ///   - messageID: The server's ID of the message.
    ///   - seq: The `seq` of the message or of the read cursor.
    ///   - senderID: The ID of the sender.
    ///   - senderName: The display name of the sender.
    ///   - threadKind: The kind of the thread.
    ///   - isMention: Whether the message mentions the user or everyone.
    ///   - title: The name of the sender or the title of the room.
    ///   - text: The text of the message.
    ///   - unread: The number of unread messages in the thread.
    ///   - badge: The number of unread messages in all threads.
    ///   - date: The date of the two numbers.
    public init(
        kind: Kind = .message, threadID: ChatThread.ID, messageID: String? = nil, seq: Int,
        senderID: ChatUser.ID? = nil, senderName: String? = nil, threadKind: ChatThread.Kind? = nil,
        isMention: Bool = false, title: String? = nil, text: String? = nil, unread: Int = 0, badge: Int = 0, date: Date
    ) {
        self.kind = kind
        self.threadID = threadID
        self.messageID = messageID
        self.seq = seq
        self.senderID = senderID
        self.senderName = senderName
        self.threadKind = threadKind
        self.isMention = isMention
        self.title = title
        self.text = text
        self.unread = unread
        self.badge = badge
        self.date = date
    }

    /// Reads the payload of a push as the system passes it: `userInfo` of a notification, or the data of a message of
    /// Firebase, whose values are texts.
    /// - Parameter userInfo: The payload.
    /// - Returns: `nil` for a push that is not from a Parley server, or of a kind that this version does not know.
    public init?(_ userInfo: [AnyHashable: Any]) {
        guard let tree = JSONTree(payload: userInfo, levels: Self.levels) else { return nil }
        self.init(tree)
    }

    /// Reads the payload of a push as JSON.
    /// - Parameter json: The payload as a server sends it to a push service, or as a browser decrypts it.
    /// - Returns: `nil` for a push that is not from a Parley server, or of a kind that this version does not know.
    public init?(json: Data) {
        guard let tree = try? JSONTree(parsing: json) else { return nil }
        self.init(tree)
    }

    /// Returns whether a push removes this notification, since the user has read its message on another device.
    ///
    /// A message that arrives after such a push is not shown either.
    /// - Parameter other: The push, of any kind and thread.
    public func isCleared(by other: ChatNotification) -> Bool {
        other.kind == .clear && other.threadID == threadID && seq <= other.seq
    }
}

extension ChatNotification {
    /// The levels of dictionaries that a payload has: `userInfo`, `parley`, and `unread` or `sender`.
    private static let levels = 3

    private init?(_ tree: JSONTree) {
        // APNs has the members in an object of their own, and FCM in `data`, which iOS merges into `userInfo`; a browser gets
        // the members only.
        let members = tree["parley"] ?? tree["data"] ?? tree
        guard let kind = members["kind"]?.text.flatMap({ Kind(rawValue: $0) }),
            let thread = members["thread"]?.text, !thread.isEmpty, let seq = members["seq"]?.number?.place,
            let unread = (members["unread"]?["thread"] ?? members["unread_thread"])?.number?.count,
            let badge = (members["unread"]?["total"] ?? members["unread_total"])?.number?.count,
            let date = members["at_ms"]?.number?.milliseconds
        else { return nil }
        let message = kind == .message ? members["id"]?.text : nil
        guard message?.isEmpty == false || kind == .clear else { return nil }
        let sender = kind == .message ? (members["sender"]?["id"] ?? members["sender_id"])?.text : nil
        let name = kind == .message ? (members["sender"]?["name"] ?? members["sender_name"])?.text : nil
        let threadKind = kind == .message ? members["thread_kind"]?.text : nil
        let alert = kind == .message ? tree["aps"]?["alert"] ?? tree["notification"] ?? members : nil
        self.init(
            kind: kind, threadID: ChatThread.ID(thread), messageID: message, seq: seq,
            senderID: sender.flatMap { $0.isEmpty ? nil : ChatUser.ID($0) }, senderName: name,
            threadKind: threadKind.map { ChatThread.Kind(rawValue: $0) ?? .other },
            isMention: kind == .message && members["mention"]?.isTrue == true, title: alert?["title"]?.text,
            // An extension or a service may have made one text of both.
            text: alert?["body"]?.text ?? alert?.text, unread: unread, badge: badge,
            date: Date(milliseconds: date))
    }
}

extension JSONTree {
    /// Reads the texts, integers, Booleans and dictionaries of a payload, and leaves out all other values.
    /// - Parameter levels: The number of levels of dictionaries that are read.
    fileprivate init?(payload value: Any, levels: Int) {
        switch value {
        case let text as String: self = .text(text)
        case let number as Int: self = .integer(Int64(number))
        case let number as NSNumber:
            guard let number = Int64(exactly: number) else { return nil }
            self = .integer(number)
        case let flag as Bool: self = .bool(flag)
        case let members as [AnyHashable: Any] where levels > 0:
            self = .object(
                members.compactMap { key, value in
                    guard let key = key.base as? String, let tree = JSONTree(payload: value, levels: levels - 1) else {
                        return nil
                    }
                    return Member(key, tree)
                })
        default: return nil
        }
    }

    /// The integer, also of a text.
    fileprivate var number: JSONTree? { text.map { Int64($0).map { .integer($0) } ?? .null } ?? self }

    /// Whether the value is true: a Boolean, which Apple's systems have as 1, or a text.
    fileprivate var isTrue: Bool { self == .bool(true) || self == .integer(1) || self == .text("true") }
}
