/// A frame of the server in the v1 dialect.
package enum ServerFrame: Hashable, Sendable {
    case hello(Hello)
    case ack(Ack)
    case error(Refusal)
    case page(Page)
    /// Without a `ref` the frame is not an answer: the server reports a thread on its own initiative.
    case resumed([String: ResumeResult], ref: Int64?)
    /// The omitted events, by thread.
    case behind([String: ClosedRange<Int>])
    case bye(after: Duration, ticket: String?)
    case event(ThreadEvent)
    case read(thread: String, user: String, seq: Int, date: Int64)
    case typing(thread: String, user: String, name: String, isOn: Bool)
    case presence(user: String, isOnline: Bool, lastSeen: Int64?)
    /// The user has another name or picture.
    case user(ChatUser)
    case threadAdded(ThreadFields)
    case threadRemoved(String)
    /// The user's own mute in a thread has begun or changed; `nil` if it was ended early.
    case mute(thread: String, Mute?)
    /// The user's own invitations may have changed (`nil`), or the invitations and requests of a thread that they moderate.
    case entrances(thread: String?)
    /// The details, the rights or the slow mode of a room have changed, or whether a direct thread is blocked.
    case room(thread: String, RoomFields)
    /// The IDs of the users that the user blocks.
    case blocks([String])
    case pong
    /// A frame of an unknown type, or one that cannot be decoded.
    case unknown

    package struct Hello: Hashable, Sendable {
        package var node = ""
        package var userID = ""
        package var username = ""
        /// The server's clock in milliseconds since 1970.
        package var serverTime: Int64?
        package var pingInterval = Duration.seconds(25)
        package var textLimit = 4096
        package var ticket: String?
        package var threads: [ThreadFields] = []
        /// The IDs of the users that the user blocks.
        package var blocks: [String] = []
        package var hasMore = false
    }

    /// The settings of a room that differ from the default.
    package struct RoomFields: Hashable, Sendable {
        package var topic: String?
        /// The ID of an attachment.
        package var picture: String?
        package var isArchived = false
        /// The seconds between two messages of a member; 0 for no slow mode.
        package var slowSeconds: Int64 = 0
        /// The rights that only the owner and the moderators have: `write`, `attach`, `mention`.
        package var moderatorRights: Set<String> = []
        /// Whether all members may add members.
        package var everyoneAdds = false
        /// Whether one of the two members of the direct thread blocks the other.
        package var isBlocked = false
        /// The number of changes, which tells a newer state from an older one.
        package var changes: Int64 = 0

        package init() {}
    }

    /// A mute of the user in a thread.
    package struct Mute: Hashable, Sendable {
        /// The end in milliseconds since 1970, by the server's clock; `nil` if there is none.
        package var until: Int64?
        package var reason: String?

        package init(until: Int64? = nil, reason: String? = nil) {
            self.until = until
            self.reason = reason
        }
    }

    /// A thread as described by hello, `thread` and REST.
    package struct ThreadFields: Hashable, Sendable {
        package var id: String
        package var title: String
        package var kind: ChatThreadKind
        package var role: ChatRole
        package var epoch: String
        package var seq: Int
        package var unread: Int
        package var readSeq: Int
        package var lastMessage: StoredMessage?
        /// Whether the server is unable to reach the log at the moment; `resumed` reports the position when it can.
        package var isUnavailable: Bool
        package var visibility: ChatVisibility
        package var mute: Mute?
        package var room: RoomFields

        package init(
            id: String, title: String, kind: ChatThreadKind, role: ChatRole, epoch: String, seq: Int, unread: Int,
            readSeq: Int, lastMessage: StoredMessage? = nil, isUnavailable: Bool = false,
            visibility: ChatVisibility = .other, mute: Mute? = nil, room: RoomFields = RoomFields()
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
            self.visibility = visibility
            self.mute = mute
            self.room = room
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
    }

    package struct Page: Hashable, Sendable {
        package var ref: Int64?
        package var thread: String
        package var epoch: String
        package var events: [ThreadEvent]
        package var hasMoreBefore: Bool
        package var hasMoreAfter: Bool
        package var headSeq: Int
    }

    package struct ResumeResult: Hashable, Sendable {
        package enum State: String, Sendable {
            case live, replayed, page
            case rolledBack = "rolled_back"
            case gone, denied, unavailable
        }
        package var state: State
        package var epoch: String
        package var from: Int?
        package var to: Int?
    }

    /// The `ref` of the command that this frame answers.
    package var answeredRef: Int64? {
        switch self {
        case .ack(let ack): ack.ref
        case .error(let refusal): refusal.ref
        case .page(let page): page.ref
        case .resumed(_, let ref): ref
        case .hello, .behind, .bye, .event, .read, .typing, .presence, .user, .threadAdded, .threadRemoved, .mute,
            .entrances, .room, .blocks, .pong, .unknown:
            nil
        }
    }
}
