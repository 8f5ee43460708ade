package import ParleyModel

/// One run of messages along a thread's primary key; a page of history is one or two of them.
package enum HistoryRun: Hashable, Sendable {
    /// The newest `limit` below a seq.
    case below(Int64, limit: Int)
    /// The oldest `limit` above a seq.
    case above(Int64, limit: Int)

    /// The runs that make up a page, from the lower one up.
    /// - Parameter seqOfDate: the last seq at or before the instant of `HistoryQuery.Place.at`, which must be looked up;
    ///   `nil` if there is none.
    package static func runs(of query: HistoryQuery, seqOfDate: Int64?) -> [HistoryRun] {
        let limit = query.limit
        return switch query.place {
        case .newest: [.below(.max, limit: limit)]
        case .before(let seq): [.below(seq, limit: limit)]
        case .after(let seq): [.above(seq, limit: limit)]
        case .around(let seq):
            [.below(seq, limit: limit / 2), .above(max(seq, 1) - 1, limit: limit - limit / 2)]
        // No message has the seq 0.
        case .at: [.below((seqOfDate ?? 0) + 1, limit: limit)]
        }
    }
}

extension LogPage {
    /// A limit as `MessageStore.events` takes it.
    package static func limit(_ requested: Int) -> Int { min(max(requested, 1), maximumLimit) }
}
