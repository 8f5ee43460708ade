/// The role of a process; see docs/ARCHITECTURE.md.
enum Role: String, Sendable {
    /// Gateway and persister in one process.
    case serve
    /// Serves sockets; writes to the database only to create a user at the first login, and for joins and leaves.
    case gateway
    /// Writes the log to the database, and serves all of REST.
    case persister

    var hasSockets: Bool { self != .persister }
    var hasREST: Bool { self != .gateway }
    var stores: Bool { self != .gateway }
}
