/// The state of one live socket, as reported by its node to operators.
package struct SocketReport: Hashable, Sendable {
    /// The delivery position of the socket in one thread.
    package struct Place: Hashable, Sendable {
        package var thread: ThreadID
        /// The last event that the node delivered to the thread's sockets; `nil` if there was none.
        package var position: Position?
        /// The seqs that were skipped because the client reads too slowly. The client has not been notified of them yet.
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
    /// The kind of credential: `session`, `jwt`, `password`, `api_key`, `ticket` or `guest`.
    package var credential: String
    /// The client's address, as reported by trusted proxies.
    package var address: String
    /// The time of the connection in Unix milliseconds.
    package var connected: Int64
    /// The time of the client's last data in Unix milliseconds, with a resolution of one second.
    package var lastSeen: Int64
    /// The number of bytes that the client has not read yet.
    package var waitingBytes: Int
    /// The positions in the requested threads.
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
