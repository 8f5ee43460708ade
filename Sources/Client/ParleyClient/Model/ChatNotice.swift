public import Foundation

/// An event of a thread other than a message, for example a new member. Show it as a line between the messages.
public struct ChatNotice: Hashable, Sendable, Identifiable {
    /// The kinds of notices.
    public enum Kind: Hashable, Sendable {
        /// A user became a member, by joining or by being added.
        case joined(ChatUser)
        /// A membership ended, because the user left or was removed.
        case left(ChatUser)
        /// The title of the room changed.
        case renamed(title: String)
        /// The visibility of the room changed.
        case visibilityChanged(ChatVisibility)
        /// The role of a member changed.
        case roleChanged(userID: ChatUser.ID, role: ChatRole)
    }

    /// The identity of the notice, which is its ``seq``.
    public var id: Int { seq }
    /// The ID of the thread.
    public let threadID: ChatThread.ID
    /// The position in the thread's log, which messages and notices share.
    public let seq: Int
    /// The date of the event.
    public let date: Date
    /// The ID of the user who caused the event, if the server provides it.
    public let byUserID: ChatUser.ID?
    /// The kind of the notice.
    public let kind: Kind

    /// Creates a notice.
    /// - Parameters:
    ///   - threadID: The ID of the thread.
    ///   - seq: The position in the thread's log.
    ///   - date: The date of the event.
    ///   - byUserID: The ID of the user who caused the event.
    ///   - kind: The kind of the notice.
    public init(threadID: ChatThread.ID, seq: Int, date: Date, byUserID: ChatUser.ID? = nil, kind: Kind) {
        self.threadID = threadID
        self.seq = seq
        self.date = date
        self.byUserID = byUserID
        self.kind = kind
    }
}

extension ChatNotice {
    /// Creates a notice from an event of the log; `nil` for messages, their changes, and unknown events.
    init?(_ event: ThreadEvent) {
        let kind: Kind
        switch event.content {
        case .joined(let user): kind = .joined(user)
        case .left(let user): kind = .left(user)
        case .renamed(let title): kind = .renamed(title: title)
        case .visibility(let visibility): kind = .visibilityChanged(visibility)
        case .role(let user, let role): kind = .roleChanged(userID: ChatUser.ID(user), role: role)
        case .message, .edited, .deleted, .reaction, .unknown: return nil
        }
        self.init(
            threadID: ChatThread.ID(event.thread), seq: event.seq, date: Date(milliseconds: event.milliseconds),
            byUserID: event.by.map { ChatUser.ID($0) }, kind: kind)
    }
}
