public import Foundation
import ParleyJSON

/// A mute or a ban of a user in a room, as moderators see it.
///
/// It belongs to the room and the user, whether or not the user is a member. It ends by itself at ``until``.
public struct ChatSanction: Hashable, Sendable, Identifiable {
    /// The kinds of sanctions.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// The user can read, but not write.
        case mute
        /// The user was removed, and can neither join nor be added.
        case ban
        /// An unknown kind.
        case other
    }

    /// The identity of the sanction: a user has at most one sanction of a kind in a room.
    public struct ID: Hashable, Sendable {
        /// The ID of the room.
        public let threadID: ChatThread.ID
        /// The ID of the user.
        public let userID: ChatUser.ID
        /// The kind of the sanction.
        public let kind: Kind

        /// Creates an identity.
        /// - Parameters:
        ///   - threadID: The ID of the room.
        ///   - userID: The ID of the user.
        ///   - kind: The kind of the sanction.
        public init(threadID: ChatThread.ID, userID: ChatUser.ID, kind: Kind) {
            (self.threadID, self.userID, self.kind) = (threadID, userID, kind)
        }
    }

    /// The identity of the sanction.
    public var id: ID { ID(threadID: threadID, userID: user.id, kind: kind) }
    /// The ID of the room.
    public let threadID: ChatThread.ID
    /// The muted or banned user.
    public let user: ChatUser
    /// The kind of the sanction.
    public let kind: Kind
    /// The date of the decision, by the server's clock.
    public let since: Date
    /// The end by the server's clock, in milliseconds; `nil` for a sanction that lasts until a moderator ends it.
    public let until: Date?
    /// The reason, 1 to 500 characters, which the user can read; `nil` if none was given.
    public let reason: String?
    /// The ID of the user who has made the decision; `nil` if it was a program.
    public let byUserID: ChatUser.ID?

    /// Creates a sanction.
    /// - Parameters:
    ///   - threadID: The ID of the room.
    ///   - user: The muted or banned user.
    ///   - kind: The kind of the sanction.
    ///   - since: The date of the decision.
    ///   - until: The end; `nil` for a sanction that lasts until a moderator ends it.
    ///   - reason: The reason.
    ///   - byUserID: The ID of the user who has made the decision.
    public init(
        threadID: ChatThread.ID, user: ChatUser, kind: Kind, since: Date, until: Date? = nil, reason: String? = nil,
        byUserID: ChatUser.ID? = nil
    ) {
        self.threadID = threadID
        self.user = user
        self.kind = kind
        self.since = since
        self.until = until
        self.reason = reason
        self.byUserID = byUserID
    }
}

extension ChatSanction {
    /// Reads a sanction from REST.
    init?(_ tree: JSONTree) {
        guard let thread = tree["thread_id"]?.text, let user = tree["user"].flatMap({ ChatUser($0) }),
            let kind = tree["kind"]?.text
        else { return nil }
        self.init(
            threadID: ChatThread.ID(thread), user: user, kind: Kind(rawValue: kind) ?? .other,
            since: Date(milliseconds: tree["since_ms"]?.milliseconds ?? 0),
            until: tree["until_ms"]?.milliseconds.map { Date(milliseconds: $0) }, reason: tree["reason"]?.text,
            byUserID: tree["by_id"]?.text.map { ChatUser.ID($0) })
    }
}
