import ParleyRedisClient

/// A command that needs more than keys and channels: the connection, or the server.
struct ConnectionCommand: Sendable {
    typealias Body =
        @Sendable (inout RedisServerModel, ServerConnectionID, _ arguments: [Bytes]) throws(CommandError) -> RESPValue?

    let name: String
    let arity: Int
    let flags: Command.Flags
    let body: Body

    init(_ name: String, _ arity: Int, _ flags: Command.Flags = [], _ body: @escaping Body) {
        self.name = name
        self.arity = arity
        self.flags = flags
        self.body = body
    }

    func accepts(count: Int) -> Bool { arity >= 0 ? count == arity : count >= -arity }

    static let all: [Bytes: ConnectionCommand] =
        [sessionCommands, subscriptionCommands, blockingCommands, scriptCommands, serverCommands].joined()
        .reduce(into: [:]) { $0[$1.name.uppercased().redisBytes] = $1 }

    // MARK: Session

    private static let sessionCommands: [ConnectionCommand] = [
        ConnectionCommand("auth", -2, [.loading, .noAuthentication]) { server, id, arguments throws(CommandError) in
            guard let password = server.configuration.password else {
                throw CommandError(
                    "ERR AUTH <password> called without any password configured for the default user. Are you sure "
                        + "your configuration is correct?")
            }
            let isUser = arguments.count == 1 || arguments.first?.text == "default"
            guard isUser, arguments.last?.text == password else {
                throw CommandError("WRONGPASS invalid username-password pair or user is disabled.")
            }
            server.connections[id]?.isAuthenticated = true
            return .status("OK")
        },
        ConnectionCommand("select", 2, .loading) { server, id, arguments throws(CommandError) in
            guard let number = Int64(canonical: arguments.first ?? []) else { throw .notInteger }
            guard 0..<16 ~= number else { throw CommandError("ERR DB index is out of range") }
            server.connections[id]?.database = Int(number)
            return .status("OK")
        },
        ConnectionCommand("ping", -1, .whileSubscribed) { server, id, arguments throws(CommandError) in
            guard arguments.count < 2 else { throw .wrongNumber(of: "ping") }
            if server.engine.subscriptions.count(of: id) > 0 {
                return .array([.bulk("pong".redisBytes), .bulk(arguments.first ?? [])])
            }
            return arguments.first.map { .bulk($0) } ?? .status("PONG")
        },
        ConnectionCommand("quit", -1, [.loading, .noAuthentication, .whileSubscribed]) { server, id, _ in
            server.outputs.append(to: id) { $0.write(.status("OK")) }
            server.close(id)
            return nil
        },
    ]

    // MARK: Subscriptions

    private static let subscriptionCommands: [ConnectionCommand] = [
        ConnectionCommand("subscribe", -2, [.loading, .whileSubscribed]) { server, id, channels in
            for channel in channels {
                server.engine.subscriptions.subscribe(id, to: channel)
                server.acknowledge("subscribe", channel, id)
            }
            return nil
        },
        ConnectionCommand("unsubscribe", -1, [.loading, .whileSubscribed]) { server, id, channels in
            let all = channels.isEmpty ? server.engine.subscriptions.channels(of: id) : channels
            for channel in all {
                server.engine.subscriptions.unsubscribe(id, from: channel)
                server.acknowledge("unsubscribe", channel, id)
            }
            if all.isEmpty { server.acknowledge("unsubscribe", nil, id) }
            return nil
        },
    ]

    // MARK: Waiting

    private static let blockingCommands: [ConnectionCommand] = [
        ConnectionCommand("blpop", -3, .write) { server, id, arguments throws(CommandError) in
            try server.wait(id, arguments, .listElement(fromFront: true))
        },
        ConnectionCommand("brpop", -3, .write) { server, id, arguments throws(CommandError) in
            try server.wait(id, arguments, .listElement(fromFront: false))
        },
        ConnectionCommand("bzpopmin", -3, .write) { server, id, arguments throws(CommandError) in
            try server.wait(id, arguments, .lowestMember)
        },
    ]
}

extension Command.Flags {
    static let noAuthentication = Command.Flags(rawValue: 32)
    static let whileSubscribed = Command.Flags(rawValue: 64)
}

extension RedisServerModel {
    fileprivate mutating func acknowledge(_ kind: String, _ channel: Bytes?, _ id: ServerConnectionID) {
        let count = Int64(engine.subscriptions.count(of: id))
        let push = RESPValue.array([.bulk(kind.redisBytes), .bulk(optional: channel), .integer(count)])
        outputs.append(to: id) { $0.write(push) }
    }

    /// Takes an element of the first key that has one, or waits.
    /// - Parameter arguments: the keys and the maximum time in seconds.
    fileprivate mutating func wait(
        _ id: ServerConnectionID, _ arguments: [Bytes], _ wish: BlockedClient.Wish
    ) throws(CommandError) -> RESPValue? {
        guard let seconds = arguments.last.flatMap({ Double(redis: $0) }), seconds < 1e12 else {
            throw CommandError("ERR timeout is not a float or out of range")
        }
        guard seconds >= 0 else { throw CommandError("ERR timeout is negative") }
        let deadline = seconds == 0 ? nil : engine.microseconds + Int64(seconds * 1_000_000)
        let keys = arguments.dropLast().map { engine.key($0) }
        let client = BlockedClient(connection: id, keys: keys, wish: wish, deadline: deadline)
        for key in keys where engine.keyspace.contains(key) {
            guard engine.keyspace.typeName(of: key) == client.typeName else { throw .wrongType }
            if let reply = take(key, for: client) { return reply }
        }
        connections[id]?.isBlocked = true
        blocked.append(client)
        return nil
    }
}
