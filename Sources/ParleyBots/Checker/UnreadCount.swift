/// A bot's unread count and read cursor in a thread, from REST.
package struct UnreadCount: Hashable, Sendable {
    package var bot: Int
    package var thread: Int
    package var unread: Int64
    package var readSeq: Int64
    /// Where the bot's cursor may be: the targets of its read marks. Its own sends count too.
    package var moves: Set<Int64>
    /// None of the read marks was acknowledged: the cursor may be unmoved.
    package var mayBeUnmoved = false

    package init(bot: Int, thread: Int, unread: Int64, readSeq: Int64, moves: Set<Int64> = []) {
        self.bot = bot
        self.thread = thread
        self.unread = unread
        self.readSeq = readSeq
        self.moves = moves
    }
}
