package import ParleyModel

/// The first frame that a client gets.
package struct V1Hello: Hashable, Sendable {
    /// What the server speaks; 0 from servers that say nothing of it.
    package var protocolVersion = V1Limits.protocolVersion
    package var connection: ConnectionID
    package var node: String
    package var user: User
    /// Unix milliseconds.
    package var serverTime: Int64
    /// How often the server pings.
    package var pingIntervalMilliseconds: Int64
    package var limits: Limits
    /// Opens another socket without a look-up; `nil` if there is none for this login.
    package var ticket: String?
    /// The user's threads, newest activity first, at most `V1Limits.helloThreads`.
    package var threads: [V1Thread]
    /// The user has more threads than these.
    package var hasMore: Bool

    package init(
        connection: ConnectionID, node: String, user: User, serverTime: Int64, pingIntervalMilliseconds: Int64,
        limits: Limits, ticket: String?, threads: [V1Thread], hasMore: Bool
    ) {
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
