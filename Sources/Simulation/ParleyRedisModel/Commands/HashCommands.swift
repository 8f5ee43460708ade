import ParleyRedisClient

extension Command {
    static let hashCommands: [Command] = [
        Command("hset", -4, [.write, .denyOOM]) { engine, arguments throws(CommandError) in
            guard arguments.count % 2 == 1 else { throw .wrongNumber(of: "hset") }
            var arguments = Arguments(arguments)
            let key = engine.key(try arguments.next())
            let pairs = arguments.all()
            return .integer(
                try engine.keyspace.change(HashValue.self, of: key) { hash in
                    stride(from: 0, to: pairs.count, by: 2).reduce(0) { count, index in
                        count + (hash.set(pairs[index], to: pairs[index + 1]) ? 1 : 0)
                    }
                })
        },
        Command("hget", 3) { engine, arguments throws(CommandError) in
            var arguments = Arguments(arguments)
            let hash = try engine.hash(arguments.next())
            return .bulk(optional: hash?[try arguments.next()])
        },
        Command("hgetall", 2) { engine, names throws(CommandError) in
            var names = Arguments(names)
            let hash = try engine.hash(names.next())
            let fields = hash?.fields ?? []
            return .array(fields.flatMap { [.bulk($0), .bulk(optional: hash?[$0])] })
        },
        Command("hkeys", 2) { engine, names throws(CommandError) in
            var names = Arguments(names)
            return .array(try engine.hash(names.next())?.fields.map { .bulk($0) } ?? [])
        },
        Command("hdel", -3, .write) { engine, arguments throws(CommandError) in
            var arguments = Arguments(arguments)
            let name = try arguments.next()
            guard try engine.hash(name) != nil else { return .integer(0) }
            let fields = arguments.all()
            return .integer(
                try engine.keyspace.change(HashValue.self, of: engine.key(name)) { hash in
                    fields.reduce(0) { $0 + (hash.remove($1) ? 1 : 0) }
                })
        },
    ]
}

extension Engine {
    fileprivate func hash(_ name: Bytes) throws(CommandError) -> HashValue? {
        try keyspace.value(HashValue.self, of: key(name))
    }
}
