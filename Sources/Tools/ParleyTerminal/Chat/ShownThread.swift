/// A conversation in the list. Names are unchanged from the server.
package struct ShownThread: Hashable, Sendable, Identifiable {
    package var id: String
    package var title: String
    package var isDirect: Bool
    package var unread: Int
    /// The `seq` of the last message that the user has read.
    package var readSeq: Int
    /// The names of the typing users.
    package var typing: [String]
    /// The positions that other members have read up to.
    package var receipts: [Int]
    /// Whether the other user of a direct thread is online; `nil` if unknown.
    package var isOnline: Bool?
    /// The time at which the other user of a direct thread was last online.
    package var lastSeen: LocalTime?
    /// The user's own mute.
    package var mute: ShownMute?
    /// The reason that the user may not write, besides a mute.
    package var hindrance: ShownHindrance?
    /// The topic of a room.
    package var topic: String?
    /// The time from which slow mode lets the user send again.
    package var slowUntil: LocalTime?

    package init(
        id: String, title: String, isDirect: Bool = false, unread: Int = 0, readSeq: Int = 0, typing: [String] = [],
        receipts: [Int] = [], isOnline: Bool? = nil, lastSeen: LocalTime? = nil, mute: ShownMute? = nil,
        hindrance: ShownHindrance? = nil, topic: String? = nil, slowUntil: LocalTime? = nil
    ) {
        self.id = id
        self.title = title
        self.isDirect = isDirect
        self.unread = unread
        self.readSeq = readSeq
        self.typing = typing
        self.receipts = receipts
        self.isOnline = isOnline
        self.lastSeen = lastSeen
        self.mute = mute
        self.hindrance = hindrance
        self.topic = topic
        self.slowUntil = slowUntil
    }
}
