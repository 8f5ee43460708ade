/// What a process does; see docs/ARCHITECTURE.md.
enum Role: String, Sendable {
    /// Everything.
    case serve
    /// Sockets: reads the database, and writes it only where a user is met for the first time.
    case gateway
    /// From the log to the database, and all REST.
    case persister

    var hasSockets: Bool { self != .persister }
    var hasREST: Bool { self != .gateway }
    var stores: Bool { self != .gateway }
}
