import ParleyRedisClient

/// The state that commands and scripts work on: keys, channels and the clock.
struct Engine: Sendable {
    /// A command that has changed something, as a replica executes it.
    struct Effect: Sendable {
        let microseconds: Int64
        let database: Int
        let arguments: [Bytes]
    }

    var keyspace: Keyspace
    var subscriptions = Subscriptions()
    /// The Unix time in microseconds.
    var microseconds: Int64 = 0 {
        didSet { keyspace.now = milliseconds }
    }
    /// The database of the current client.
    var database = 0
    /// The memory above which commands that take more are refused; `nil` for none.
    var memoryLimit: Int?
    /// Refuses writes of clients.
    var isReplica = false
    /// Whether the server was above its memory limit when the current command began.
    var isOverLimit = false
    /// Set while a script runs.
    var script: ScriptState?
    /// The keys that got elements which blocked clients may wait for.
    var readyKeys: [StoredKey] = []
    /// Messages to subscribers, in order.
    var messages: [Subscriptions.Message] = []
    /// The effects that replicas must execute; `nil` if there are no replicas.
    var effects: [Effect]?

    struct ScriptState: Sendable {
        /// Whether it has called a command that writes: then it is not stopped by the memory limit.
        var isDirty = false
    }

    var milliseconds: Int64 { microseconds / 1000 }

    func key(_ name: Bytes) -> StoredKey { StoredKey(database: database, name: name) }

    /// Executes a command of a client, or one that serves a blocked client.
    mutating func execute(_ arguments: [Bytes]) throws(CommandError) -> RESPValue {
        guard let name = arguments.first, let command = Command.named(name) else {
            throw .notModelled("command '\(arguments.first?.text ?? "")'")
        }
        guard command.accepts(count: arguments.count) else { throw .wrongNumber(of: command.name) }
        if isOverLimit, command.flags.contains(.denyOOM) { throw .outOfMemory }
        if isReplica, command.flags.contains(.write) { throw .readOnly }
        return try perform(command, arguments)
    }

    /// Executes a command of a script.
    mutating func executeInScript(_ arguments: [Bytes]) throws(CommandError) -> RESPValue {
        guard let name = arguments.first, let command = Command.named(name),
            !command.flags.contains(.noScript)
        else { throw .notModelled("command '\(arguments.first?.text ?? "")' of a script") }
        guard command.accepts(count: arguments.count) else {
            throw CommandError("ERR Wrong number of args calling Redis command from script")
        }
        if isReplica, command.flags.contains(.write) { throw .readOnly }
        if isOverLimit, script?.isDirty != true, command.flags.contains(.denyOOM) { throw .outOfMemory }
        if command.flags.contains(.write) { script?.isDirty = true }
        return try perform(command, arguments)
    }

    private mutating func perform(_ command: Command, _ arguments: [Bytes]) throws(CommandError) -> RESPValue {
        if effects != nil, !command.flags.isDisjoint(with: [.write, .replicated]) {
            effects?.append(Effect(microseconds: microseconds, database: database, arguments: arguments))
        }
        return try command.body(&self, arguments.dropFirst())
    }

    /// Executes what a master has executed.
    mutating func apply(_ effect: Effect) {
        guard let name = effect.arguments.first, let command = Command.named(name) else { return }
        microseconds = effect.microseconds
        database = effect.database
        // An error is one that the master got as well.
        _ = try? perform(command, effect.arguments)
    }

    mutating func signal(_ key: StoredKey) {
        if !readyKeys.contains(key) { readyKeys.append(key) }
    }
}
