package import ParleyModel

/// The first frame of a connection.
package struct V1Hello: Hashable, Sendable {
    /// The server's protocol version; 0 from servers that do not send it.
    package var protocolVersion = V1Limits.protocolVersion
    package var connection: ConnectionID
    package var node: String
    package var user: User
    /// Unix milliseconds.
    package var serverTime: Int64
    /// The server's ping interval.
    package var pingIntervalMilliseconds: Int64
    package var limits: Limits
    /// A resume ticket, which opens another socket without a lookup; `nil` if this login has none.
    package var ticket: String?
    /// The user's threads, newest activity first, at most `V1Limits.helloThreads`.
    package var threads: [V1Thread]
    /// The user has more threads than these.
    package var hasMore: Bool
    /// The users that the user blocks, at most `UserBlocks.most`, in the byte order of their ids.
    package var blocks: [UserID]

    package init(
        connection: ConnectionID, node: String, user: User, serverTime: Int64, pingIntervalMilliseconds: Int64,
        limits: Limits, ticket: String?, threads: [V1Thread], hasMore: Bool,
        blocks: [UserID] = []
    ) {
        self.blocks = blocks
        self.connection = connection
        self.node = node
        self.user = user
        self.serverTime = serverTime
        self.pingIntervalMilliseconds = pingIntervalMilliseconds
        self.limits = limits
        self.ticket = ticket
        self.threads = threads
        self.hasMore = hasMore
    }
}
