/// The core's state of a thread.
package struct ThreadRecord: Hashable, Sendable {
    package let id: String
    package var title: String
    package var kind: ChatThread.Kind
    package var role: ChatRole
    package var visibility: ChatVisibility
    /// The user's mute, as the server has reported it.
    package var mute: ServerFrame.Mute?
    /// The state of the room, as the server has reported it.
    package var room: ServerFrame.RoomFields
    /// The position: the epoch and `seq` of the last event that was received, or skipped in a thread without a cache.
    package var epoch: String
    package var seq: Int
    /// The highest `seq` that is known to exist. Events between `seq` and this value must be fetched.
    package var target: Int
    /// Whether messages are cached, so that no event may be skipped.
    package var hasCache = false
    package var unread: Int
    package var readSeq: Int
    /// The `seq` that `unread` counts up to.
    package var countedSeq: Int
    /// A read mark that the server has not acknowledged.
    package var pendingRead: Int?
    /// The date of the last activity in milliseconds since 1970.
    package var activity: Int64 = 0
    /// The receipts of other members, at most `maximumReceipts`.
    package var receipts: [ChatUser.ID: ReadReceipt] = [:]

    // Not stored.

    /// Whether a `history` request for missing events is in flight.
    package var isFetching = false
    package var isReadInFlight = false
    /// Whether the numbering has started over and may continue below `seq`. The next event or the newest page shows where.
    package private(set) var mayGoOnBelow = false

    package static let maximumReceipts = 256

    package init(_ fields: ServerFrame.ThreadFields) {
        id = fields.id
        title = fields.title
        kind = fields.kind
        role = fields.role
        visibility = fields.visibility
        mute = fields.mute
        room = fields.room
        epoch = fields.epoch
        seq = fields.seq
        target = fields.seq
        unread = fields.unread
        readSeq = fields.readSeq
        countedSeq = fields.seq
    }

    /// Adopts the server's description, except for the position.
    package mutating func update(_ fields: ServerFrame.ThreadFields) {
        title = fields.title
        kind = fields.kind
        role = fields.role
        visibility = fields.visibility
        mute = fields.mute
        _ = take(fields.room)
        if pendingRead == nil {
            readSeq = fields.readSeq
            unread = fields.unread
            countedSeq = fields.seq
        }
    }

    /// Returns whether the server has described a group with other names than the known ones. Frames describe it with the
    /// names that the node has read at some time.
    package func isNamedDifferently(in fields: ServerFrame.ThreadFields) -> Bool {
        kind == .group && fields.title != title
    }

    /// Starts over without a cache at a position.
    /// - Parameter mayGoOnBelow: `seq` is the last place that the former numbering has used.
    package mutating func reset(epoch: String, seq: Int, mayGoOnBelow: Bool = false) {
        self.epoch = epoch
        self.seq = seq
        self.mayGoOnBelow = mayGoOnBelow
        target = seq
        hasCache = false
        isFetching = false
    }

    /// Continues the numbering: the next event has the place above `seq`.
    package mutating func goOn(after seq: Int) {
        if mayGoOnBelow, seq < self.seq { (self.seq, target) = (seq, seq) }
        mayGoOnBelow = false
    }
}
