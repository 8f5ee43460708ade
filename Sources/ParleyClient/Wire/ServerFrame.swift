/// A frame of the server in the v1 dialect.
package enum ServerFrame: Hashable, Sendable {
    case hello(Hello)
    case ack(Ack)
    case error(Refusal)
    case page(Page)
    case resumed([String: ResumeResult])
    /// Events that were left out, by thread: the highest `seq` of each range.
    case behind([String: Int])
    case bye(after: Duration, ticket: String?)
    case event(LogEvent)
    case read(thread: String, user: String, seq: Int, date: Int64)
    case typing(thread: String, user: String, name: String, isOn: Bool)
    case presence(user: String, isOnline: Bool, lastSeen: Int64?)
    case threadAdded(ThreadFields)
    case threadRemoved(String)
    case pong
    /// A type that this version does not recognise, or a frame that is not understood.
    case unknown

    package struct Hello: Hashable, Sendable {
        package var userID = ""
        package var username = ""
        package var pingInterval = Duration.seconds(25)
        package var textLimit = 4096
        package var ticket: String?
        package var threads: [ThreadFields] = []
        package var hasMore = false
    }

    /// A thread as hello, `thread` and REST describe it.
    package struct ThreadFields: Hashable, Sendable {
        package var id: String
        package var title: String
        package var kind: ChatThread.Kind
        package var role: ChatRole
        package var epoch: String
        package var seq: Int
        package var unread: Int
        package var readSeq: Int
        package var lastMessage: StoredMessage?
        /// The server cannot reach the log at the moment; `resumed` tells the position when it can.
        package var isUnavailable: Bool

        package init(
            id: String, title: String, kind: ChatThread.Kind, role: ChatRole, epoch: String, seq: Int, unread: Int,
            readSeq: Int, lastMessage: StoredMessage? = nil, isUnavailable: Bool = false
        ) {
            self.id = id
            self.title = title
            self.kind = kind
            self.role = role
            self.epoch = epoch
            self.seq = seq
            self.unread = unread
            self.readSeq = readSeq
            self.lastMessage = lastMessage
            self.isUnavailable = isUnavailable
        }
    }

    package struct Ack: Hashable, Sendable {
        package var ref: Int64?
        package var isStored: Bool
        package var thread: String?
        package var epoch: String?
        package var seq: Int?
        package var milliseconds: Int64?
        package var messageID: String?
    }

    package struct Refusal: Hashable, Sendable {
        package var ref: Int64?
        package var code: ServerErrorCode
        package var message: String
        package var isRetryable: Bool
        package var retryAfter: Duration?

        package var error: ChatError { .refused(code: code, message: message) }
    }

    package struct Page: Hashable, Sendable {
        package var ref: Int64?
        package var thread: String
        package var epoch: String
        package var events: [LogEvent]
        package var hasMoreBefore: Bool
        package var hasMoreAfter: Bool
        package var headSeq: Int
    }

    package struct ResumeResult: Hashable, Sendable {
        package enum State: String, Sendable {
            case live, replayed, page
            case rolledBack = "rolled_back"
            case gone, denied
        }
        package var state: State
        package var epoch: String
        package var from: Int
        package var to: Int
    }
}

/// An entry of a thread's log.
package struct LogEvent: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case message(StoredMessage)
        case edited(message: Int, text: String)
        case deleted(message: Int)
        case reaction(message: Int, user: String, emoji: String, isOn: Bool)
        case joined(ChatUser)
        case left(ChatUser)
        case renamed(String)
        case role(user: String, role: ChatRole)
        case unknown
    }

    package let thread: String
    package let epoch: String
    package let seq: Int
    package let milliseconds: Int64
    /// The user who did it, if that is another than the content names.
    package let by: String?
    package let content: Content
}

/// A message of the log, as the cache keeps it.
package struct StoredMessage: Hashable, Sendable {
    package var thread: String
    package var seq: Int
    package var id: String
    package var clientID: String?
    package var senderID: String
    package var senderName: String
    package var text: String
    package var parts: [ChatPart] = []
    package var replyTo: Int?
    package var milliseconds: Int64
    package var editedMilliseconds: Int64?
    package var isDeleted = false
    package var isErased = false
    package var reactions: [ChatReaction] = []

    /// Adds or removes a user's reaction; doing it again changes nothing.
    package mutating func react(_ emoji: String, by user: String, isOn: Bool) {
        guard let index = reactions.firstIndex(where: { $0.emoji == emoji }) else {
            if isOn { reactions.append(ChatReaction(emoji: emoji, count: 1, users: [user])) }
            return
        }
        let isListed = reactions[index].users.contains(user)
        switch (isOn, isListed) {
        case (true, false):
            reactions[index].count += 1
            if reactions[index].users.count < 50 { reactions[index].users.append(user) }
        case (false, true):
            reactions[index].count -= 1
            reactions[index].users.removeAll { $0 == user }
            if reactions[index].count <= 0 { reactions.remove(at: index) }
        case (true, true): break
        case (false, false):
            // Only 50 users are listed; this may be another one.
            if reactions[index].count > reactions[index].users.count { reactions[index].count -= 1 }
        }
    }

    /// Removes what a deletion removes.
    package mutating func delete() {
        isDeleted = true
        text = ""
        parts = []
        reactions = []
    }
}
