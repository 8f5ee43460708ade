/// A broken guarantee, and where it was found.
package struct GuaranteeViolation: Codable, Hashable, Sendable {
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

/// The violations found: all of them counted, the first ones kept.
package struct Violations: Codable, Hashable, Sendable {
    /// Maximum number of violations kept in detail.
    package static let kept = 200

    package private(set) var first: [GuaranteeViolation] = []
    package private(set) var counts: [GuaranteeViolation.Kind: Int] = [:]

    package init() {}

    package var isEmpty: Bool { counts.isEmpty }
    package var total: Int { counts.values.reduce(0, +) }

    package mutating func add(_ violation: GuaranteeViolation) {
        counts[violation.kind, default: 0] += 1
        if first.count < Self.kept { first.append(violation) }
    }

    package mutating func add(_ other: Violations) {
        for (kind, count) in other.counts { counts[kind, default: 0] += count }
        first += other.first.prefix(max(0, Self.kept - first.count))
    }
}
