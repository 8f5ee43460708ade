package import ParleyModel

/// A request for a page of a thread's log: bounds are exclusive, and both apply.
///
/// With `after` the page holds the oldest `limit` events above it, otherwise the newest `limit`.
package struct V1HistoryRequest: Hashable, Sendable {
    package var thread: ThreadID
    /// At least 0.
    package var before: Int64?
    /// At least 0.
    package var after: Int64?
    /// 1 to `V1Limits.historyEvents`.
    package var limit: Int64

    package init(
        thread: ThreadID, before: Int64? = nil, after: Int64? = nil, limit: Int64 = V1Limits.historyDefault
    ) {
        self.thread = thread
        self.before = before
        self.after = after
        self.limit = limit
    }

    /// The seqs of the page, given that a log has no gaps: above `after`, up to and including `through`; equal if the
    /// page is empty.
    /// - Parameter head: the seq of the newest event, 0 if there is none.
    package func bounds(head: Int64) -> (after: Int64, through: Int64) {
        let top = min(before.map { $0 - 1 } ?? head, head)
        guard let after else { return (max(0, top - limit), max(0, top)) }
        let bottom = min(after, head)
        return (bottom, max(bottom, min(top, bottom + limit)))
    }
}
