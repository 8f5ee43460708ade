/// A thread's log as returned by REST at the end of a run.
package struct ThreadHistory: Hashable, Sendable {
    package struct Event: Hashable, Sendable {
        package var epoch: String
        package var seq: Int64
        package var tag: MessageTag
        /// Whether it counts as unread and is sent to classic clients.
        package var isMessage: Bool
        package var isDeleted: Bool

        package init(epoch: String, seq: Int64, tag: MessageTag, isMessage: Bool = true, isDeleted: Bool = false) {
            self.epoch = epoch
            self.seq = seq
            self.tag = tag
            self.isMessage = isMessage
            self.isDeleted = isDeleted
        }
    }

    package var events: [Event]

    package init(events: [Event] = []) {
        self.events = events
    }
}

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
