public import Foundation

/// Something that happened in a thread besides messages, to be shown as a line between them.
public struct ChatNotice: Hashable, Sendable, Identifiable {
    /// What happened.
    public enum Kind: Hashable, Sendable {
        /// A user became a member; by themselves or added by another.
        case joined(ChatUser)
        /// A user's membership has ended; by themselves or removed by another.
        case left(ChatUser)
        /// The room got another title.
        case renamed(title: String)
        /// A member got another role.
        case roleChanged(userID: String, role: ChatRole)
    }

    /// The same as ``seq``.
    public var id: Int { seq }
    /// The thread it happened in.
    public let threadID: String
    /// Its place in the thread's log, among those of the messages.
    public let seq: Int
    /// When it happened.
    public let date: Date
    /// The id of the user who did it, if the server says it.
    public let byUserID: String?
    /// What happened.
    public let kind: Kind

    package init(threadID: String, seq: Int, date: Date, byUserID: String?, kind: Kind) {
        self.threadID = threadID
        self.seq = seq
        self.date = date
        self.byUserID = byUserID
        self.kind = kind
    }
}

extension ChatNotice {
    /// The notice that an event of the log is; `nil` for messages, their changes, and what is not recognised.
    init?(_ event: ThreadEvent) {
        let kind: Kind
        switch event.content {
        case .joined(let user): kind = .joined(user)
        case .left(let user): kind = .left(user)
        case .renamed(let title): kind = .renamed(title: title)
        case .role(let user, let role): kind = .roleChanged(userID: user, role: role)
        case .message, .edited, .deleted, .reaction, .unknown: return nil
        }
        self.init(
            threadID: event.thread, seq: event.seq, date: Date(milliseconds: event.milliseconds), byUserID: event.by,
            kind: kind)
    }
}
