/// What a node is asked, or asked to do, for an operator.
package struct NodeRequest: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// The live sockets of a user, and how far they are in these threads (at most `maximumThreads`).
        case socketsOfUser(UserID, in: [ThreadID])
        /// The live sockets of a thread's members, and how far they are in it.
        case socketsInThread(ThreadID)
        /// Close all sockets of a user with 4001, whatever they got in by.
        case closeSockets(UserID)
        /// Drain as at SIGTERM, and end.
        case drain
    }

    /// The most threads of a question.
    package static let maximumThreads = 50

    package var id: String
    package var content: Content

    package init(id: String, _ content: Content) {
        self.id = id
        self.content = content
    }
}

/// What one node says to a question.
package struct NodeReply: Hashable, Sendable {
    /// The most sockets of an answer.
    package static let maximumSockets = 100

    /// The id of the question.
    package var request: String
    package var instance: String
    /// At most `maximumSockets` of them.
    package var sockets: [SocketReport]
    /// How many sockets there are, or were closed.
    package var count: Int
    /// Whether the node is subscribed to the thread that was asked for.
    package var follows: Bool

    package init(
        request: String, instance: String, sockets: [SocketReport] = [], count: Int = 0, follows: Bool = false
    ) {
        self.request = request
        self.instance = instance
        self.sockets = sockets
        self.count = count
        self.follows = follows
    }
}
