/// The state of one live socket, as its node reports it to operators.
package struct SocketReport: Hashable, Sendable {
    /// The delivery position of the socket in one thread.
    package struct Place: Hashable, Sendable {
        package var thread: ThreadID
        /// The last event that the node has delivered to the thread's sockets; `nil` if the thread has none yet.
        package var position: Position?
        /// Seqs that were skipped because the client reads too slowly, and that it has not been notified of yet.
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
    /// The client's address, as trusted proxies report it.
    package var address: String
    /// Unix milliseconds.
    package var connected: Int64
    /// When the client last sent anything; Unix milliseconds, with a resolution of one second.
    package var lastSeen: Int64
    /// Bytes waiting to be read by the client.
    package var waitingBytes: Int
    /// Only for the requested threads.
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
