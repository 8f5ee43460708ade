/// A lane of the stream of stored events whose batches are the rows of a table, each with one event.
///
/// Readers get these events only if they ask for the kind of the lane, which is its `rawValue`, or for everything. All cursors
/// pass the rows nevertheless. The rows are in the order of their commits, and independent of the logs of threads.
package enum RowLane: String, CaseIterable, Hashable, Sendable {
    /// The audit log (docs/decisions/082-audit-events.md).
    case audit
    /// Messages that their recipients have not seen (docs/decisions/092-unseen-messages-as-events.md).
    case unseen

    /// The number of the lane in an `EventCursor`.
    package var number: Int {
        switch self {
        case .audit: EventCursor.maximumLanes
        case .unseen: EventCursor.maximumLanes + 1
        }
    }

    /// - Returns: `nil` for a lane of log events.
    package init?(number: Int) {
        guard let lane = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = lane
    }

    /// Stands for the lane where events are put in order by threads. No thread has this ID, since IDs of rooms do not end with
    /// `.events`, and all others are made by Parley.
    package var order: ThreadID { ThreadID(trusted: "\(rawValue).events") }

    /// - Returns: `nil` for a thread.
    package init?(order: ThreadID) {
        guard let lane = Self.allCases.first(where: { $0.order == order }) else { return nil }
        self = lane
    }
}
