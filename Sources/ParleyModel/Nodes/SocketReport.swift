/// One live socket, as its node tells operators of it.
package struct SocketReport: Hashable, Sendable {
    /// How far the socket is in a thread.
    package struct Place: Hashable, Sendable {
        package var thread: ThreadID
        /// Up to where the node has handed events to the thread's sockets; `nil`: the thread has none yet.
        package var position: Position?
        /// What was left out because the client reads too slowly, and it was not told so yet.
        package var behind: ClosedRange<Int64>?

        package init(thread: ThreadID, position: Position?, behind: ClosedRange<Int64>?) {
            self.thread = thread
            self.position = position
            self.behind = behind
        }
    }

    package var connection: String
    package var user: User
    /// `classic`, `v1`, `direct` or `line`.
    package var dialect: String
    /// By what the user got in: `session`, `jwt`, `password`, `api_key`, `ticket` or `guest`.
    package var credential: String
    /// Where the client is, as far as trusted proxies tell.
    package var address: String
    /// Unix milliseconds.
    package var connected: Int64
    /// When anything last came from the client; Unix milliseconds, to the second.
    package var lastSeen: Int64
    /// Bytes that wait to be read by the client.
    package var waitingBytes: Int
    /// Of the threads that were asked for.
    package var places: [Place]

    package init(
        connection: String, user: User, dialect: String, credential: String, address: String, connected: Int64,
        lastSeen: Int64, waitingBytes: Int, places: [Place] = []
    ) {
        self.connection = connection
        self.user = user
        self.dialect = dialect
        self.credential = credential
        self.address = address
        self.connected = connected
        self.lastSeen = lastSeen
        self.waitingBytes = waitingBytes
        self.places = places
    }
}
