package import ParleyModel

/// A run of messages along a thread's primary key. A page of history consists of one or two runs.
package enum HistoryRun: Hashable, Sendable {
    /// The newest `limit` messages below a seq.
    case below(Int64, limit: Int)
    /// The oldest `limit` messages above a seq.
    case above(Int64, limit: Int)

    /// The runs that make up a page, lowest first.
    /// - Parameter seqOfDate: for `HistoryQuery.Place.at`, the last seq at or before its date; `nil` if there is none.
    package static func runs(of query: HistoryQuery, seqOfDate: Int64?) -> [HistoryRun] {
        let limit = query.limit
        return switch query.place {
        case .newest: [.below(.max, limit: limit)]
        case .before(let seq): [.below(seq, limit: limit)]
        case .after(let seq): [.above(seq, limit: limit)]
        case .around(let seq):
            [.below(seq, limit: limit / 2), .above(max(seq, 1) - 1, limit: limit - limit / 2)]
        // No message has seq 0.
        case .at: [.below((seqOfDate ?? 0) + 1, limit: limit)]
        }
    }
}

extension LogPage {
    /// Clamps a requested limit for `MessageStore.events`.
    package static func limit(_ requested: Int) -> Int { min(max(requested, 1), maximumLimit) }
}
