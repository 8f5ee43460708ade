import ParleyRedisClient

extension ConnectionCommand {
    static let serverCommands: [ConnectionCommand] = [
        ConnectionCommand("info", -1, .loading) { server, _, sections in
            .bulk(server.information(sections.map { $0.text.lowercased() }).redisBytes)
        },
        ConnectionCommand("role", 1, .loading) { server, _, _ in server.role },
        ConnectionCommand("client", -2, .loading) { server, id, arguments throws(CommandError) in
            try server.client(arguments, id)
        },
        ConnectionCommand("config", -2, .loading) { server, _, arguments throws(CommandError) in
            guard arguments.count == 3, arguments[0].capitals.text == "SET", arguments[1].text == "maxmemory",
                let limit = Int64(canonical: arguments[2])
            else { throw .notModelled("config \(arguments.map(\.text).joined(separator: " "))") }
            server.engine.memoryLimit = limit == 0 ? nil : Int(limit)
            return .status("OK")
        },
        ConnectionCommand("replicaof", 3) { server, _, arguments throws(CommandError) in
            guard arguments[0].capitals.text == "NO", arguments[1].capitals.text == "ONE" else {
                throw .notModelled("replicaof")
            }
            server.promote()
            return .status("OK")
        },
    ]
}

extension RedisServerModel {
    /// The parts of a reply to `INFO` that Parley and its tests read.
    fileprivate func information(_ sections: [String]) -> String {
        let all: [(name: String, fields: [(String, String)])] = [
            ("server", [("redis_version", "7.0.15"), ("redis_mode", "standalone"), ("run_id", runID)]),
            ("clients", [("connected_clients", "\(connections.count)"), ("blocked_clients", "\(blocked.count)")]),
            (
                "memory",
                [
                    ("used_memory", "\(engine.keyspace.size)"), ("maxmemory", "\(engine.memoryLimit ?? 0)"),
                    ("maxmemory_policy", "noeviction"),
                ]
            ),
            (
                "persistence",
                [
                    ("loading", loadsUntil == nil ? "0" : "1"),
                    ("aof_enabled", configuration.persistence == .none ? "0" : "1"),
                ]
            ),
            (
                "replication",
                [("role", engine.isReplica ? "slave" : "master"), ("master_replid", replicationID)]
            ),
            ("cluster", [("cluster_enabled", "0")]),
        ]
        let wanted = all.filter { sections.isEmpty || sections.contains("all") || sections.contains($0.name) }
        return wanted.map { name, fields in
            "# \(name.prefix(1).uppercased())\(name.dropFirst())\r\n" + fields.map { "\($0):\($1)\r\n" }.joined()
        }.joined(separator: "\r\n")
    }

    fileprivate var role: RESPValue {
        guard engine.isReplica else {
            return .array([.bulk("master".redisBytes), .integer(0), .array([])])
        }
        var (host, port): (String, Int) = ("", 0)
        if case .tcp(let name, let number)? = master { (host, port) = (name, number) }
        return .array([
            .bulk("slave".redisBytes), .bulk(host.redisBytes), .integer(Int64(port)), .bulk("connected".redisBytes),
            .integer(0),
        ])
    }

    fileprivate mutating func client(_ arguments: [Bytes], _ id: ServerConnectionID) throws(CommandError) -> RESPValue {
        let words = arguments.map { $0.capitals.text }
        if words.first == "ID" { return .integer(Int64(id.number)) }
        if words.first == "SETNAME" { return .status("OK") }
        guard words.count >= 3, words[0] == "KILL", words[1] == "TYPE", ["NORMAL", "PUBSUB"].contains(words[2]) else {
            throw .notModelled("client \(arguments.map(\.text).joined(separator: " "))")
        }
        return .integer(Int64(killClients(subscribers: words[2] == "PUBSUB", but: id)))
    }

    /// Closes the connections with, or those without, subscriptions.
    mutating func killClients(subscribers: Bool, but own: ServerConnectionID? = nil) -> Int {
        let killed = connections.keys.sorted().filter { id in
            id != own && (engine.subscriptions.count(of: id) > 0) == subscribers
        }
        for id in killed { close(id) }
        return killed.count
    }
}
