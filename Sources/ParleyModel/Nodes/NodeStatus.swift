/// How a node says it is; rates are per second, over the last few seconds.
package struct NodeStatus: Hashable, Sendable {
    /// See `NodeRegistry.instance`.
    package var instance: String
    /// What the operator calls it; several may share a name.
    package var name: String
    /// `serve`, `gateway` or `persister`.
    package var role: String
    package var version: String
    /// Unix milliseconds, by the node's clock.
    package var started: Int64
    /// When it said this; Unix milliseconds, by the node's clock.
    package var date: Int64
    /// It takes no more sockets, and ends when those it has are gone.
    package var isDraining = false
    /// Open WebSockets.
    package var sockets = 0
    /// Open connections of the line door.
    package var lines = 0
    /// Open TCP connections of the HTTP and WebSocket door.
    package var connections = 0
    /// Users with WebSockets.
    package var users = 0
    /// Threads that the node is subscribed to.
    package var threads = 0
    /// Messages of clients that the log has accepted.
    package var messagesIn = 0.0
    /// Events of threads that the bus has brought.
    package var events = 0.0
    /// Frames handed to sockets.
    package var deliveries = 0.0
    /// Events written to the store.
    package var stored = 0.0
    /// CPU time by time: 1 is one core.
    package var cpu = 0.0
    package var residentBytes: Int64 = 0
    /// `nil`: it has none.
    package var redis: LinkStatus?
    package var database: LinkStatus?
    /// `nil`: it stores nothing.
    package var persister: PersisterStatus?
    /// The threads with the most events, the busiest first; at most `maximumBusiest`.
    package var busiest: [ThreadRate] = []

    /// The most threads of `busiest`.
    package static let maximumBusiest = 20

    package init(instance: String, name: String, role: String, version: String, started: Int64, date: Int64) {
        self.instance = instance
        self.name = name
        self.role = role
        self.version = version
        self.started = started
        self.date = date
    }
}

/// How a node reaches Redis or its database.
package struct LinkStatus: Hashable, Sendable {
    /// Why it does not answer; `nil` if it does.
    package var trouble: String?
    /// How long the last answer took.
    package var milliseconds: Double

    package init(trouble: String?, milliseconds: Double) {
        self.trouble = trouble
        self.milliseconds = milliseconds
    }
}

/// How far the store is behind, as far as one process stores.
package struct PersisterStatus: Hashable, Sendable {
    /// Partitions that this process has.
    package var partitions: Int
    /// Events accepted and not stored.
    package var lagEvents: Int64
    /// Age of the oldest event that was read and is not stored: what would be lost with Redis.
    package var lagSeconds: Double

    package init(partitions: Int, lagEvents: Int64, lagSeconds: Double) {
        self.partitions = partitions
        self.lagEvents = lagEvents
        self.lagSeconds = lagSeconds
    }
}

/// How many events a thread has.
package struct ThreadRate: Hashable, Sendable {
    package var thread: ThreadID
    package var eventsPerSecond: Double

    package init(thread: ThreadID, eventsPerSecond: Double) {
        self.thread = thread
        self.eventsPerSecond = eventsPerSecond
    }
}
