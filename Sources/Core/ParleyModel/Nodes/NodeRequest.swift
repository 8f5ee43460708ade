/// A request by an operator to one node.
package struct NodeRequest: Hashable, Sendable {
    /// The requested report or action.
    package enum Content: Hashable, Sendable {
        /// List the live sockets of a user, and their positions in these threads (at most `maximumThreads`).
        case socketsOfUser(UserID, in: [ThreadID])
        /// List the live sockets of a thread's members, and their positions in the thread.
        case socketsInThread(ThreadID)
        /// Close all sockets of a user with code 4001, whatever their credentials.
        case closeSockets(UserID)
        /// Send the load of the last hour (`NodeHistory`).
        case history
        /// Drain the node as on SIGTERM, then exit.
        case drain
    }

    /// The maximum number of threads in a request.
    package static let maximumThreads = 50

    package var id: String
    package var content: Content

    package init(id: String, _ content: Content) {
        self.id = id
        self.content = content
    }
}

/// One node's reply to a request.
package struct NodeReply: Hashable, Sendable {
    /// The maximum number of sockets in a reply.
    package static let maximumSockets = 100

    /// The id of the request.
    package var request: String
    package var instance: String
    /// The sockets, at most `maximumSockets` of them.
    package var sockets: [SocketReport]
    /// The total number of sockets that matched or were closed.
    package var count: Int
    /// Whether the node is subscribed to the requested thread.
    package var follows: Bool
    /// The load of the last hour, oldest first, at most `NodeHistory.capacity` samples.
    package var history: [LoadSample]

    package init(
        request: String, instance: String, sockets: [SocketReport] = [], count: Int = 0, follows: Bool = false,
        history: [LoadSample] = []
    ) {
        self.history = history
        self.request = request
        self.instance = instance
        self.sockets = sockets
        self.count = count
        self.follows = follows
    }
}
