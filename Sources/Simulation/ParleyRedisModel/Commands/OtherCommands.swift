import ParleyRedisClient

extension Command {
    static let otherCommands: [Command] = [
        Command("publish", 3, [.loading, .replicated]) { engine, arguments throws(CommandError) in
            var arguments = Arguments(arguments)
            let (channel, payload) = (try arguments.next(), try arguments.next())
            let receivers = engine.subscriptions.subscribers[channel] ?? []
            engine.messages += receivers.map {
                Subscriptions.Message(receiver: $0, channel: channel, payload: payload)
            }
            return .integer(Int64(receivers.count))
        },
        Command("time", 1, .loading) { engine, _ in
            let (seconds, rest) = engine.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
            return .array([seconds, rest].map { .bulk(Array(String($0).utf8)) })
        },
        Command("dbsize", 1) { engine, _ in .integer(Int64(engine.keyspace.names(in: engine.database).count)) },
        Command("flushall", -1, .write) { engine, _ in
            engine.keyspace.removeAll(of: nil)
            return .status("OK")
        },
        Command("flushdb", -1, .write) { engine, _ in
            engine.keyspace.removeAll(of: engine.database)
            return .status("OK")
        },
        Command("keys", 2) { engine, patterns throws(CommandError) in
            var patterns = Arguments(patterns)
            let pattern = try patterns.next()
            return .array(
                engine.keyspace.names(in: engine.database).filter { Glob.matches($0, pattern) }.map { .bulk($0) })
        },
        // All at once, whatever the limit.
        Command("scan", -2) { engine, arguments throws(CommandError) in try engine.scan(arguments) },
        Command("memory", -2) { engine, arguments throws(CommandError) in
            var arguments = Arguments(arguments)
            guard arguments.take("USAGE") else { throw .notModelled("memory \(try arguments.next().text)") }
            let size = engine.keyspace.size(of: engine.key(try arguments.next()))
            return size.map { .integer(Int64($0)) } ?? .null
        },
        Command("pubsub", -2, .loading) { engine, arguments throws(CommandError) in
            try engine.pubsub(arguments)
        },
        Command("echo", 2, .loading) { _, texts throws(CommandError) in
            var texts = Arguments(texts)
            return .bulk(try texts.next())
        },
    ]
}

extension Engine {
    fileprivate func scan(_ arguments: ArraySlice<Bytes>) throws(CommandError) -> RESPValue {
        var arguments = Arguments(arguments)
        guard try arguments.integer() == 0 else { throw .notModelled("a cursor of scan") }
        var (pattern, type): (Bytes?, Bytes?) = (nil, nil)
        while !arguments.isEmpty {
            if arguments.take("MATCH") {
                pattern = try arguments.next()
            } else if arguments.take("TYPE") {
                type = try arguments.next()
            } else if arguments.take("COUNT") {
                _ = try arguments.clamped()
            } else {
                throw .syntax
            }
        }
        let names = keyspace.names(in: database).filter { name in
            (pattern.map { Glob.matches(name, $0) } ?? true)
                && (type.map { keyspace.typeName(of: key(name)) == $0.text } ?? true)
        }
        return .array([.bulk(Array("0".utf8)), .array(names.map { .bulk($0) })])
    }

    fileprivate func pubsub(_ arguments: ArraySlice<Bytes>) throws(CommandError) -> RESPValue {
        var arguments = Arguments(arguments)
        if arguments.take("CHANNELS") {
            let pattern = arguments.isEmpty ? nil : try arguments.next()
            let channels = subscriptions.subscribers.keys.filter { channel in
                pattern.map { Glob.matches(channel, $0) } ?? true
            }
            return .array(channels.sorted { $0.lexicographicallyPrecedes($1) }.map { .bulk($0) })
        }
        guard arguments.take("NUMSUB") else { throw .notModelled("pubsub \(try arguments.next().text)") }
        return .array(
            arguments.all().flatMap { channel -> [RESPValue] in
                [.bulk(channel), .integer(Int64(subscriptions.subscribers[channel]?.count ?? 0))]
            })
    }
}
