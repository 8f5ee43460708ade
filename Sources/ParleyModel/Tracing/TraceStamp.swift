/// That a message was at one point of its way.
package struct TraceStamp: Hashable, Sendable {
    /// The points of the way, in the order in which a message comes to them; those of several nodes are side by side.
    package enum Hop: String, CaseIterable, Hashable, Sendable {
        /// The bytes came in: the frame on a socket, the request at REST.
        case read
        /// Handed to the log: understood, allowed, and not held back any more.
        case sent
        /// The log has said that it has the message; the sender is told now.
        case appended
        /// A node with interest in the thread has got it from the bus.
        case received
        /// All members on an event loop of a node have it: handed to the kernel, or to what waits for a slow client.
        case flushed
        /// A persister has read it from the ingest stream.
        case taken
        /// The database has it for good.
        case committed

        /// The hop that leads to this one.
        package var predecessor: Hop? {
            switch self {
            case .read: nil
            case .sent: .read
            case .appended, .received, .taken: .sent
            case .flushed: .received
            case .committed: .taken
            }
        }
    }

    package var hop: Hop
    /// Where: the name of a node.
    package var node: String
    /// Unix time in microseconds.
    package var microseconds: Int64
    /// How many sockets, of `flushed`; else 0.
    package var sockets: Int

    package init(_ hop: Hop, at node: String, microseconds: Int64, sockets: Int = 0) {
        self.hop = hop
        self.node = node
        self.microseconds = microseconds
        self.sockets = sockets
    }
}
