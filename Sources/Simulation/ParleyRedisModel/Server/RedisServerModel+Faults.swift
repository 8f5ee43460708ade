package import ParleyRedisClient

/// Faults of a server.
extension RedisServerModel {
    /// A command that a replica executes too.
    package struct Effect: Sendable {
        let effect: Engine.Effect
    }

    // MARK: Ends and starts

    /// The process ends, or is killed. Its connections are gone, without outputs. It keeps what its persistence keeps.
    package mutating func end() {
        isRunning = false
        connections = [:]
        engine.subscriptions = Subscriptions()
        (blocked, unblocked, outputs) = ([], [], PendingOutputs())
        (engine.messages, engine.readyKeys) = ([], [])
        loadedScripts = []
        loadsUntil = nil
        if configuration.persistence == .none { engine.keyspace.removeAll(of: nil) }
        if engine.effects != nil { engine.effects = [] }
    }

    /// The machine fails: what the disk had not synced is lost.
    package mutating func losePower() {
        if configuration.persistence == .everySecond { engine.keyspace.loseUnsynced() }
        end()
    }

    /// A new process starts, with the data on the disk.
    /// - Parameters:
    ///   - isEmpty: the disk was lost.
    ///   - loading: how long it loads its data, in microseconds.
    package mutating func start(at microseconds: Int64, isEmpty: Bool = false, loading: Int64 = 0) {
        isRunning = true
        engine.microseconds = microseconds
        if isEmpty { engine.keyspace.removeAll(of: nil) }
        engine.keyspace.sync()
        engine.memoryLimit = configuration.memoryLimit
        runID = newID()
        replicationID = newID()
        loadsUntil = loading > 0 ? microseconds + loading : nil
    }

    /// Takes the data of an earlier state of this server, as from an old backup or an older disk. Before `start`.
    package mutating func restoreData(of earlier: RedisServerModel) {
        engine.keyspace = earlier.engine.keyspace
    }

    /// The memory limit, in bytes of `usedMemory`; `nil` for none.
    package var memoryLimit: Int? {
        get { engine.memoryLimit }
        set { engine.memoryLimit = newValue }
    }

    /// The estimated memory of all keys and values.
    package var usedMemory: Int { engine.keyspace.size }

    // MARK: Replication

    /// Whether it is a replica, which refuses writes.
    package var isReplica: Bool { engine.isReplica }

    /// Keeps what replicas must execute from now on, for `takeEffects`.
    package mutating func keepEffects() {
        engine.effects = []
    }

    /// Takes the effects since the last call, which replicas must execute.
    package mutating func takeEffects() -> [Effect] {
        defer { if engine.effects != nil { engine.effects = [] } }
        return (engine.effects ?? []).map { Effect(effect: $0) }
    }

    /// Becomes a replica with a copy of a master's data. Clients that wait get an error; the caller closes connections
    /// if a Sentinel does it.
    /// - Parameter place: where clients reach the master, for `ROLE`.
    package mutating func replicate(_ other: RedisServerModel, at place: RedisEndpoint) -> [ServerOutput] {
        let text = "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)"
        for client in blocked {
            unblock(client.connection)
            outputs.append(to: client.connection) { $0.write(.error(text)) }
        }
        engine.isReplica = true
        master = place
        replicationID = other.replicationID
        engine.keyspace = other.engine.keyspace
        processUnblocked()
        return outputs.take()
    }

    /// Executes what the master has executed, in its order. A replica that has not got all of it is behind.
    package mutating func apply(_ effects: [Effect]) -> [ServerOutput] {
        let now = engine.microseconds
        for effect in effects { engine.apply(effect.effect) }
        engine.microseconds = max(now, engine.microseconds)
        engine.readyKeys = []
        deliverMessages()
        return outputs.take()
    }

    /// Becomes a master, with a new replication id.
    package mutating func promote() {
        guard engine.isReplica else { return }
        engine.isReplica = false
        master = nil
        replicationID = newID()
    }

    /// Closes all connections, as `CLIENT KILL` does, or a Sentinel that demotes a master.
    package mutating func closeAll() -> [ServerOutput] {
        _ = killClients(subscribers: true)
        _ = killClients(subscribers: false)
        return outputs.take()
    }

    // MARK: Operators

    /// Executes a command that no connection has sent, for tests and checkers.
    package mutating func execute(_ arguments: [String], at microseconds: Int64) -> (RESPValue, [ServerOutput]) {
        guard let id = connect() else { return (.error("not running"), []) }
        connections[id]?.isAuthenticated = true
        let reply = replyDirectly(to: arguments.map(\.redisBytes), of: id, at: microseconds)
        remove(id)
        return (reply, outputs.take())
    }
}
