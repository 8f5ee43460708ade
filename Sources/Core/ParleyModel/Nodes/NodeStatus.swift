/// A node's report of its own state. Rates are per second, measured over the last few seconds.
package struct NodeStatus: Hashable, Sendable {
    /// See `NodeRegistry.instance`.
    package var instance: String
    /// The configured name of the node; several nodes may share one.
    package var name: String
    /// `serve`, `gateway` or `persister`.
    package var role: String
    package var version: String
    /// The start time in Unix milliseconds, by the node's clock.
    package var started: Int64
    /// The time of the report in Unix milliseconds, by the node's clock.
    package var date: Int64
    /// Whether the node refuses new sockets, and exits once the open ones are closed.
    package var isDraining = false
    /// Open WebSockets.
    package var sockets = 0
    /// Open connections of the line listener.
    package var lines = 0
    /// Open TCP connections of the HTTP and WebSocket listener.
    package var connections = 0
    /// Users with at least one WebSocket.
    package var users = 0
    /// Threads that the node is subscribed to.
    package var threads = 0
    /// Client messages accepted by the log.
    package var messagesIn = 0.0
    /// Thread events received from the bus.
    package var events = 0.0
    /// Frames handed to sockets.
    package var deliveries = 0.0
    /// Events written to the store.
    package var stored = 0.0
    /// CPU time divided by wall-clock time; 1 is one core.
    package var cpu = 0.0
    package var residentBytes: Int64 = 0
    /// `nil` if the node does not use Redis.
    package var redis: LinkStatus?
    /// `nil` if the node does not use a database.
    package var database: LinkStatus?
    /// `nil` if the process does not run a persister.
    package var persister: PersisterStatus?
    /// The attempts since the start of the process, for each push service with a key in it.
    package var pushes: [PushAddress.Kind: [PushResult: Int]] = [:]
    /// The threads with the highest event rates, in descending order; at most `maximumBusiest`.
    package var busiest: [ThreadRate] = []

    /// The maximum number of threads in `busiest`.
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

/// The state of a node's connection to Redis or its database.
package struct LinkStatus: Hashable, Sendable {
    /// The error; `nil` if the server answers.
    package var problem: String?
    /// The duration of the last request, in milliseconds.
    package var milliseconds: Double

    package init(problem: String?, milliseconds: Double) {
        self.problem = problem
        self.milliseconds = milliseconds
    }
}

/// The backlog of one persister process.
package struct PersisterStatus: Hashable, Sendable {
    /// Partitions owned by this process.
    package var partitions: Int
    /// Events accepted and not yet stored.
    package var lagEvents: Int64
    /// The age in seconds of the oldest event that was read and is not stored. If Redis lost its data, the events of this
    /// period would be lost.
    package var lagSeconds: Double

    package init(partitions: Int, lagEvents: Int64, lagSeconds: Double) {
        self.partitions = partitions
        self.lagEvents = lagEvents
        self.lagSeconds = lagSeconds
    }
}

/// The result of an attempt to send a push. The raw value is its name in the metric and on the wire.
package enum PushResult: String, CaseIterable, Hashable, Sendable {
    case delivered, gone, retry, refused, misconfigured
}

/// The event rate of one thread.
package struct ThreadRate: Hashable, Sendable {
    package var thread: ThreadID
    package var eventsPerSecond: Double

    package init(thread: ThreadID, eventsPerSecond: Double) {
        self.thread = thread
        self.eventsPerSecond = eventsPerSecond
    }
}
