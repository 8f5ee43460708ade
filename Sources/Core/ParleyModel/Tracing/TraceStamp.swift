/// The time at which a message passed one hop.
package struct TraceStamp: Hashable, Sendable {
    /// The hops, in the order in which a message passes them; hops of several nodes are concurrent.
    package enum Hop: String, CaseIterable, Hashable, Sendable {
        /// The bytes were received: the frame on a socket, the request at REST.
        case read
        /// The message was decoded, authorised and rate-limited, and passed to the log.
        case sent
        /// The log confirmed the append; the sender is notified now.
        case appended
        /// A node with interest in the thread received it from the bus.
        case received
        /// The message was written to all members on one event loop of a node: to the kernel, or to the buffer of a
        /// slow client.
        case flushed
        /// A persister read it from the ingest stream.
        case taken
        /// The database committed it.
        case committed

        /// The preceding hop.
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
    /// The name of the node.
    package var node: String
    /// Unix time in microseconds.
    package var microseconds: Int64
    /// The number of sockets for `flushed`; otherwise 0.
    package var sockets: Int

    package init(_ hop: Hop, at node: String, microseconds: Int64, sockets: Int = 0) {
        self.hop = hop
        self.node = node
        self.microseconds = microseconds
        self.sockets = sockets
    }
}
