public import Foundation
import ParleyJSON

/// A link into a room: any user with its code may join, whatever the visibility of the room.
public struct ChatLink: Hashable, Sendable, Identifiable {
    /// The ID of a link, which is not its code.
    public struct ID: ChatIdentifier {
        /// The text of the ID.
        public let rawValue: String

        /// Creates an ID from its text.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The ID of the link.
    public let id: ID
    /// The ID of the room.
    public let threadID: ChatThread.ID
    /// The code that ``ChatClient/joinLink(_:)`` takes; only the answer of ``ChatClient/createLink(to:for:uses:)`` has it.
    public let code: String?
    /// The ID of the user who has made the link; `nil` if it was a program.
    public let byUserID: ChatUser.ID?
    /// The date of the link, by the server's clock.
    public let since: Date
    /// The end by the server's clock; `nil` for a link that lasts until it is revoked.
    public let until: Date?
    /// The number of users who may join, 1 to 10,000; `nil` for any number.
    public let uses: Int?
    /// The number of users who have joined.
    public let used: Int

    /// Creates a link.
    /// - Parameters:
    ///   - id: The ID of the link.
    ///   - threadID: The ID of the room.
    ///   - code: The code.
    ///   - byUserID: The ID of the user who has made the link.
    ///   - since: The date of the link.
    ///   - until: The end; `nil` for a link that lasts until it is revoked.
    ///   - uses: The number of users who may join; `nil` for any number.
    ///   - used: The number of users who have joined.
    public init(
        id: ID, threadID: ChatThread.ID, code: String? = nil, byUserID: ChatUser.ID? = nil, since: Date,
        until: Date? = nil, uses: Int? = nil, used: Int = 0
    ) {
        self.id = id
        self.threadID = threadID
        self.code = code
        self.byUserID = byUserID
        self.since = since
        self.until = until
        self.uses = uses
        self.used = used
    }
}

/// The room that the code of a link leads to, as a user sees it before joining.
public struct ChatLinkTarget: Hashable, Sendable {
    /// The ID of the room; `nil` for users who are not members.
    public let threadID: ChatThread.ID?
    /// The title of the room.
    public let title: String
    /// The kind of the thread.
    public let kind: ChatThread.Kind
    /// The visibility of the room.
    public let visibility: ChatVisibility
    /// The number of members.
    public let memberCount: Int
    /// Whether the user is a member already.
    public let isMember: Bool

    /// Creates a target.
    /// - Parameters:
    ///   - threadID: The ID of the room; `nil` for users who are not members.
    ///   - title: The title of the room.
    ///   - kind: The kind of the thread.
    ///   - visibility: The visibility of the room.
    ///   - memberCount: The number of members.
    ///   - isMember: Whether the user is a member already.
    public init(
        threadID: ChatThread.ID? = nil, title: String, kind: ChatThread.Kind = .room,
        visibility: ChatVisibility = .private, memberCount: Int, isMember: Bool = false
    ) {
        self.threadID = threadID
        self.title = title
        self.kind = kind
        self.visibility = visibility
        self.memberCount = memberCount
        self.isMember = isMember
    }
}

extension ChatLink {
    /// Reads a link from REST.
    init?(_ tree: JSONTree) {
        guard let id = tree["id"]?.text, let thread = tree["thread_id"]?.text else { return nil }
        self.init(
            id: ID(id), threadID: ChatThread.ID(thread), code: tree["code"]?.text,
            byUserID: tree["by_id"]?.text.map { ChatUser.ID($0) },
            since: Date(milliseconds: tree["since_ms"]?.milliseconds ?? 0),
            until: tree["until_ms"]?.milliseconds.map { Date(milliseconds: $0) }, uses: tree["uses"]?.count,
            used: tree["used"]?.count ?? 0)
    }
}

extension ChatLinkTarget {
    /// Reads the target of a code from REST.
    init?(_ tree: JSONTree) {
        guard let thread = tree["thread"], let title = thread["title"]?.text else { return nil }
        self.init(
            threadID: thread["id"]?.text.map { ChatThread.ID($0) }, title: title,
            kind: thread["kind"]?.text.flatMap { ChatThread.Kind(rawValue: $0) } ?? .other,
            visibility: thread["visibility"]?.text.flatMap { ChatVisibility(rawValue: $0) } ?? .other,
            memberCount: tree["members"]?.count ?? 0, isMember: tree["is_member"]?.flag ?? false)
    }
}
