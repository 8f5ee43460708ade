package import NIOCore
import ParleyRedisClient

/// A server of Redis as a value: bytes of connections in, bytes and closes out, at the times that the caller tells.
///
/// It does what Parley uses of Redis 7.0, as a real server does: `RedisModelComparisonTests` compare the two. What Parley
/// does not use is refused with `NOTMODELLED` and noted in `complaints`.
///
/// A copy is a snapshot. Nothing depends on the order of a dictionary, and ids come from the seed.
package struct RedisServerModel: Sendable {
    /// The data on the disk when the server ends.
    package enum Persistence: Hashable, Sendable {
        /// Nothing.
        case none
        /// `appendfsync everysec`: everything after the end of the process; what was written before the last full
        /// second of changes after a power failure.
        case everySecond
        /// `appendfsync always`: everything that was replied.
        case always
    }

    package struct Configuration: Sendable {
        package var password: String?
        package var persistence = Persistence.everySecond
        /// `maxmemory`, of the model's estimate; `nil` for none.
        package var memoryLimit: Int?
        package var scripts: ScriptLibrary

        package init(scripts: ScriptLibrary) {
            self.scripts = scripts
        }
    }

    package internal(set) var configuration: Configuration
    var engine: Engine
    var connections: [ServerConnectionID: ServerConnection] = [:]
    private var lastConnection = 0
    /// In the order in which they were blocked.
    var blocked: [BlockedClient] = []
    /// Clients that were blocked, and whose later commands are next.
    var unblocked: [ServerConnectionID] = []
    var outputs = PendingOutputs()
    /// The SHA-1 of the scripts that clients have loaded.
    var loadedScripts: Set<Bytes> = []
    /// The id of the process.
    package internal(set) var runID = ""
    /// The id of the data's history; replicas have their master's.
    package internal(set) var replicationID = ""
    package internal(set) var isRunning = true
    /// The Unix time in microseconds until which it loads its data.
    var loadsUntil: Int64?
    /// Where a replica's master is, for `ROLE`.
    var master: RedisEndpoint?
    private var ids: IDSource
    private var lastSync: Int64 = 0
    private var lastSweep: Int64 = 0
    /// The first hundred requests for something that is not modelled. A simulation must find none.
    package private(set) var complaints: [String] = []

    /// - Parameters:
    ///   - seed: of the ids that Redis draws at random.
    ///   - microseconds: the Unix time.
    package init(_ configuration: Configuration, seed: UInt64, at microseconds: Int64) {
        self.configuration = configuration
        engine = Engine(keyspace: Keyspace(tracksChanges: configuration.persistence == .everySecond))
        ids = IDSource(seed: seed)
        engine.memoryLimit = configuration.memoryLimit
        engine.microseconds = microseconds
        runID = ids.next()
        replicationID = ids.next()
    }

    // MARK: Connections

    /// Accepts a connection.
    /// - Returns: `nil` if no process is listening.
    package mutating func connect() -> ServerConnectionID? {
        guard isRunning else { return nil }
        lastConnection += 1
        let id = ServerConnectionID(number: lastConnection)
        connections[id] = ServerConnection(isAuthenticated: configuration.password == nil)
        return id
    }

    /// Bytes of a client have arrived.
    /// - Parameter microseconds: the Unix time of the server's machine.
    package mutating func receive(
        _ bytes: ByteBuffer, from connection: ServerConnectionID, at microseconds: Int64
    ) -> [ServerOutput] {
        moveTime(to: microseconds)
        connections[connection]?.reader.append(bytes)
        process(connection)
        processUnblocked()
        return outputs.take()
    }

    /// The client has closed its connection, or it is lost.
    package mutating func disconnected(_ connection: ServerConnectionID) {
        remove(connection)
    }

    /// Whether it knows a connection.
    package func has(_ connection: ServerConnectionID) -> Bool { connections[connection] != nil }

    /// Lets time pass: ends the waits of blocked clients.
    package mutating func advance(to microseconds: Int64) -> [ServerOutput] {
        moveTime(to: microseconds)
        for client in blocked {
            guard let deadline = client.deadline, deadline <= microseconds else { continue }
            unblock(client.connection)
            outputs.append(to: client.connection) { $0.writeStaticString("*-1\r\n") }
        }
        processUnblocked()
        return outputs.take()
    }

    /// When `advance` has something to do, a Unix time in microseconds.
    package var nextDeadline: Int64? { blocked.compactMap(\.deadline).min() }

    mutating func remove(_ connection: ServerConnectionID) {
        connections[connection] = nil
        engine.subscriptions.remove(connection)
        blocked.removeAll { $0.connection == connection }
        unblocked.removeAll { $0 == connection }
    }

    // MARK: Time

    mutating func moveTime(to microseconds: Int64) {
        engine.microseconds = microseconds
        if let end = loadsUntil, end <= microseconds { loadsUntil = nil }
        // Redis syncs when the second has changed.
        let second = microseconds / 1_000_000
        if second != lastSync {
            lastSync = second
            engine.keyspace.sync()
        }
        if abs(microseconds - lastSweep) >= 10_000_000 {
            lastSweep = microseconds
            engine.keyspace.removeExpired()
        }
    }

    mutating func newID() -> String { ids.next() }

    mutating func complain(_ text: String) {
        if complaints.count < 100 { complaints.append(text) }
    }
}

/// Draws ids of 40 hexadecimal digits from a seed (SplitMix64).
struct IDSource: Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> String {
        var digits = ""
        while digits.count < 40 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            mixed ^= mixed >> 31
            let text = String(mixed, radix: 16)
            digits += String(repeating: "0", count: 16 - text.count) + text
        }
        return String(digits.prefix(40))
    }
}
