/// The time at which a message passed one hop.
package struct TraceStamp: Hashable, Sendable {
    /// The hops, in the order in which a message passes them. Hops of several nodes are concurrent.
    package enum Hop: String, CaseIterable, Hashable, Sendable {
        /// The bytes were received: a frame on a socket, or a request over REST.
        case read
        /// The message was decoded, authorised, rate-limited, and passed to the log.
        case sent
        /// The log confirmed the append, and the sender is being notified.
        case appended
        /// A node that is subscribed to the thread received the message from the bus.
        case received
        /// The message was written to all members on one event loop of a node, either to the kernel or to the buffer of a slow client.
        case flushed
        /// A persister read the message from the ingest stream.
        case taken
        /// The database committed the message.
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
    /// The Unix time in microseconds.
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
