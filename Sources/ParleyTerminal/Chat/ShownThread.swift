/// A conversation as the list shows it. Names are as received.
package struct ShownThread: Hashable, Sendable, Identifiable {
    package var id: String
    package var title: String
    package var isDirect: Bool
    package var unread: Int
    /// The `seq` up to which the user has read.
    package var readSeq: Int
    /// Who is typing.
    package var typing: [String]
    /// How far others have read.
    package var receipts: [Int]
    /// Of a direct thread: whether the other user is online; `nil` if it is not known.
    package var isOnline: Bool?
    /// Of a direct thread: when the other user was online last.
    package var lastSeen: LocalTime?

    package init(
        id: String, title: String, isDirect: Bool = false, unread: Int = 0, readSeq: Int = 0, typing: [String] = [],
        receipts: [Int] = [], isOnline: Bool? = nil, lastSeen: LocalTime? = nil
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
    }
}
