/// What one client did and saw.
struct Journal: Sendable {
    /// From the opening of a socket to its end.
    struct Session: Sendable {
        /// In the order of arrival.
        var seen: [Sighting] = []
        /// What was written to the socket.
        var sent: [String] = []
        /// The socket was ended by somebody else than the client.
        var isBroken = false
    }

    /// The threads that the client is a member of.
    var threads: Set<Int>
    var sessions: [Session] = []
    /// The client had its first socket before anybody sent.
    var wasThereFirst = true
}
