/// A frame of the server in the v1 dialect.
package enum ServerFrame: Hashable, Sendable {
    case hello(Hello)
    case ack(Ack)
    case error(Refusal)
    case page(Page)
    /// Without `ref` it is no answer: the server tells of a thread by itself.
    case resumed([String: ResumeResult], ref: Int64?)
    /// Events that were left out, by thread.
    case behind([String: ClosedRange<Int>])
    case bye(after: Duration, ticket: String?)
    case event(ThreadEvent)
    case read(thread: String, user: String, seq: Int, date: Int64)
    case typing(thread: String, user: String, name: String, isOn: Bool)
    case presence(user: String, isOnline: Bool, lastSeen: Int64?)
    case threadAdded(ThreadFields)
    case threadRemoved(String)
    case pong
    /// A type that this version does not recognise, or a frame that is not understood.
    case unknown

    package struct Hello: Hashable, Sendable {
        package var node = ""
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
        package var kind: ChatThreadKind
        package var role: ChatRole
        package var epoch: String
        package var seq: Int
        package var unread: Int
        package var readSeq: Int
        package var lastMessage: StoredMessage?
        /// The server cannot reach the log at the moment; `resumed` tells the position when it can.
        package var isUnavailable: Bool

        package init(
            id: String, title: String, kind: ChatThreadKind, role: ChatRole, epoch: String, seq: Int, unread: Int,
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
        case .hello, .behind, .bye, .event, .read, .typing, .presence, .threadAdded, .threadRemoved, .pong, .unknown:
            nil
        }
    }
}
