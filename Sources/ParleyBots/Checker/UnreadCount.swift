/// What REST says of a bot's reading of a thread.
package struct UnreadCount: Hashable, Sendable {
    package var bot: Int
    package var thread: Int
    package var unread: Int64
    package var readSeq: Int64
    /// Where the bot's cursor may be, as far as the bot knows: where it moved it to. Its own sends count besides.
    package var moves: Set<Int64>
    /// None of the moves was acknowledged: the cursor may be where it was.
    package var mayBeUnmoved = false

    package init(bot: Int, thread: Int, unread: Int64, readSeq: Int64, moves: Set<Int64> = []) {
        self.bot = bot
        self.thread = thread
        self.unread = unread
        self.readSeq = readSeq
        self.moves = moves
    }
}
