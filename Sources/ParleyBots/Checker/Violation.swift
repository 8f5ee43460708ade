/// One promise that was not kept, and where.
package struct Violation: Codable, Hashable, Sendable {
    package enum Kind: String, CaseIterable, Codable, Hashable, Sendable {
        /// Acknowledged, or seen, and not in the history.
        case lost
        /// Twice on one socket, or twice in the history.
        case doubled
        /// A socket was not sent an event that its thread has.
        case gap
        /// A sender's messages stand in another order than they were sent.
        case reordered
        /// One seq means two events, or an event stands elsewhere than was said.
        case seqReused = "seq_reused"
        /// The numbering started over without a word, or without need.
        case rolledBack = "rolled_back"
        /// A count of unread messages, or a read cursor, is wrong.
        case unread
        /// A command on a living socket was never answered.
        case unanswered
        /// A bot was not connected at the end, or not to its threads.
        case absent
    }

    package var kind: Kind
    /// The number of the thread; `nil` if it is about none.
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
