/// The path of one message, assembled from its stamps.
package struct MessageTrace: Hashable, Sendable {
    /// One hop of the path.
    package struct Step: Hashable, Sendable {
        package var stamp: TraceStamp
        /// Microseconds since the preceding hop (`TraceStamp.Hop.predecessor`, on the same node if that hop belongs to
        /// each node); `nil` for the first hop, and if the preceding hop has no stamp.
        package var sinceBefore: Int64?
        /// Microseconds since the first stamp.
        package var sinceFirst: Int64

        /// The preceding hop, if it has a stamp.
        package var before: TraceStamp.Hop? { sinceBefore == nil ? nil : stamp.hop.predecessor }
    }

    /// In order of time; those of the same microsecond in order of the hops.
    package let steps: [Step]

    /// Of several stamps of a hop on one node only one counts: the first, except for `flushed`, where it is the last,
    /// with the sum of the sockets of the node's event loops.
    package init(_ stamps: [TraceStamp]) {
        var chosen: [Place: TraceStamp] = [:]
        for stamp in stamps {
            let place = Place(hop: stamp.hop, node: stamp.node)
            guard var known = chosen[place] else {
                chosen[place] = stamp
                continue
            }
            if stamp.hop == .flushed {
                known.microseconds = max(known.microseconds, stamp.microseconds)
                known.sockets += stamp.sockets
            } else {
                known.microseconds = min(known.microseconds, stamp.microseconds)
            }
            chosen[place] = known
        }
        let order = Dictionary(uniqueKeysWithValues: TraceStamp.Hop.allCases.enumerated().map { ($1, $0) })
        let sorted = chosen.values.sorted { one, two in
            (one.microseconds, order[one.hop] ?? 0, one.node) < (two.microseconds, order[two.hop] ?? 0, two.node)
        }
        steps = sorted.map { stamp in
            let before = stamp.hop.predecessor.flatMap { hop -> TraceStamp? in
                switch hop {
                // These hops have one stamp, on whichever node the message came in.
                case .read, .sent: chosen.values.filter { $0.hop == hop }.min { $0.microseconds < $1.microseconds }
                default: chosen[Place(hop: hop, node: stamp.node)]
                }
            }
            return Step(
                stamp: stamp, sinceBefore: before.map { stamp.microseconds - $0.microseconds },
                sinceFirst: stamp.microseconds - (sorted.first?.microseconds ?? 0))
        }
    }

    private struct Place: Hashable {
        var hop: TraceStamp.Hop
        var node: String
    }
}
