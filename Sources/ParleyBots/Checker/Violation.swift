/// A broken guarantee, and where it was found.
package struct Violation: Codable, Hashable, Sendable {
    package enum Kind: String, CaseIterable, Codable, Hashable, Sendable {
        /// Acknowledged or seen, but not in the history.
        case lost
        /// Twice on one socket, or twice in the history.
        case doubled
        /// A socket was not sent an event of its thread.
        case gap
        /// A sender's messages are in another order than they were sent in.
        case reordered
        /// One seq has two events, or an event is at another position than reported.
        case seqReused = "seq_reused"
        /// The epoch changed without notice or without need.
        case rolledBack = "rolled_back"
        /// An unread count or a read cursor is wrong.
        case unread
        /// A command on a live socket was never answered.
        case unanswered
        /// A bot was not connected at the end, or not to its threads.
        case absent
    }

    package var kind: Kind
    /// The number of the thread; `nil` if none is concerned.
    package var thread: Int?
    package var seq: Int64?
    package var bot: Int?
    package var detail: String

    package init(_ kind: Kind, thread: Int? = nil, seq: Int64? = nil, bot: Int? = nil, _ detail: String) {
        self.kind = kind
        self.thread = thread
        self.seq = seq
        self.bot = bot
        self.detail = detail
    }
}
