/// The path of one message, assembled from its stamps.
package struct MessageTrace: Hashable, Sendable {
    /// One hop of the path.
    package struct Step: Hashable, Sendable {
        package var stamp: TraceStamp
        /// The microseconds since the preceding hop, which is `TraceStamp.Hop.predecessor`, on the same node if each node has
        /// that hop. `nil` for the first hop, and if the preceding hop has no stamp.
        package var sinceBefore: Int64?
        /// The microseconds since the first stamp.
        package var sinceFirst: Int64

        /// The preceding hop, if it has a stamp.
        package var before: TraceStamp.Hop? { sinceBefore == nil ? nil : stamp.hop.predecessor }
    }

    /// The steps in order of time. Steps within one microsecond are in the order of the hops.
    package let steps: [Step]

    /// Makes a trace from stamps in any order. Of several stamps of a hop on one node, only the first counts. For `flushed` it
    /// is the last, with the total number of sockets of the node's event loops.
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
                // These hops have a single stamp, on the node that received the message.
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

/// The trace flag of a message is part of its id, so that every node and persister sees it. An id made by Parley ends in `7ace`
/// if and only if the message is traced (docs/decisions/015-traced-messages.md).
extension Identifier where Kind == MessageKind {
    /// The last four hex digits of a traced message's id.
    package static var traceMark: UInt16 { 0x7ACE }

    /// Whether the message is traced. `false` for an id that Parley did not make.
    package var isTraced: Bool {
        text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.count == 32 && bytes[28] == UInt8(ascii: "7") && bytes[29] == UInt8(ascii: "a")
                && bytes[30] == UInt8(ascii: "c") && bytes[31] == UInt8(ascii: "e")
        } ?? (text.utf8.count == 32 && text.hasSuffix("7ace"))
    }
}

extension LogEvent {
    /// The id of the message, if the event is a traced message; otherwise `nil`.
    package var tracedMessage: MessageID? {
        guard case .message(let message) = body, message.id.isTraced else { return nil }
        return message.id
    }
}
