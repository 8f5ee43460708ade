import ParleyRedisClient

extension Command {
    static let sortedSetCommands: [Command] = [
        Command("zadd", -4, [.write, .denyOOM]) { engine, arguments throws(CommandError) in
            try engine.add(arguments)
        },
        Command("zrem", -3, .write) { engine, arguments throws(CommandError) in
            var arguments = Arguments(arguments)
            let name = try arguments.next()
            return .integer(Int64(try engine.remove(arguments.all(), from: name)))
        },
        Command("zcard", 2) { engine, names throws(CommandError) in
            var names = Arguments(names)
            return .integer(Int64(try engine.sortedSet(names.next())?.elements.count ?? 0))
        },
        Command("zcount", 4) { engine, arguments throws(CommandError) in
            var arguments = Arguments(arguments)
            let (name, range) = (try arguments.next(), try arguments.scoreRange())
            return .integer(Int64(try engine.sortedSet(name)?.elements(in: range).count ?? 0))
        },
        Command("zscore", 3) { engine, arguments throws(CommandError) in
            var arguments = Arguments(arguments)
            let set = try engine.sortedSet(arguments.next())
            return .bulk(optional: set?.score(of: try arguments.next())?.redisText)
        },
        Command("zrange", -4) { engine, arguments throws(CommandError) in
            try engine.range(arguments, isReversed: false)
        },
        Command("zrevrange", -4) { engine, arguments throws(CommandError) in
            try engine.range(arguments, isReversed: true)
        },
        Command("zrangebyscore", -4) { engine, arguments throws(CommandError) in
            try engine.rangeByScore(arguments)
        },
        Command("zremrangebyscore", 4, .write) { engine, arguments throws(CommandError) in
            var arguments = Arguments(arguments)
            let (name, range) = (try arguments.next(), try arguments.scoreRange())
            let members = try engine.sortedSet(name)?.elements(in: range).map(\.member) ?? []
            return .integer(Int64(try engine.remove(members, from: name)))
        },
        Command("zpopmin", -2, .write) { engine, arguments throws(CommandError) in
            var arguments = Arguments(arguments)
            let name = try arguments.next()
            let limit = arguments.isEmpty ? 1 : try arguments.clamped()
            guard limit >= 0 else { throw CommandError("ERR value is out of range, must be positive") }
            let elements = try engine.sortedSet(name)?.elements.prefix(limit) ?? []
            _ = try engine.remove(elements.map(\.member), from: name)
            return engine.reply(elements, withScores: true)
        },
    ]
}

extension Engine {
    fileprivate func sortedSet(_ name: Bytes) throws(CommandError) -> SortedSetValue? {
        try keyspace.value(SortedSetValue.self, of: key(name))
    }

    fileprivate mutating func add(_ arguments: ArraySlice<Bytes>) throws(CommandError) -> RESPValue {
        var arguments = Arguments(arguments)
        let key = key(try arguments.next())
        let needsNone = arguments.take("NX")
        guard !arguments.isEmpty, arguments.count % 2 == 0 else { throw .syntax }
        var elements: [(score: Double, member: Bytes)] = []
        while !arguments.isEmpty { elements.append((try arguments.score(), try arguments.next())) }
        let added = try keyspace.change(SortedSetValue.self, of: key) { set in
            var added: Int64 = 0
            for (score, member) in elements {
                let isThere = set.score(of: member) != nil
                if isThere, needsNone { continue }
                set.set(member, to: score)
                if !isThere { added += 1 }
            }
            return added
        }
        signal(key)
        return .integer(added)
    }

    fileprivate mutating func remove(_ members: [Bytes], from name: Bytes) throws(CommandError) -> Int {
        guard try sortedSet(name) != nil, !members.isEmpty else { return 0 }
        return try keyspace.change(SortedSetValue.self, of: key(name)) { set in
            members.reduce(0) { $0 + (set.remove($1) ? 1 : 0) }
        }
    }

    fileprivate func range(_ arguments: ArraySlice<Bytes>, isReversed: Bool) throws(CommandError) -> RESPValue {
        var arguments = Arguments(arguments)
        let (name, first, last) = (try arguments.next(), try arguments.clamped(), try arguments.clamped())
        let withScores = arguments.take("WITHSCORES")
        guard arguments.isEmpty else { throw .notModelled("options of a range of ranks") }
        var elements = try sortedSet(name)?.elements ?? []
        if isReversed { elements.reverse() }
        return reply(elements[elements.range(first, last)], withScores: withScores)
    }

    fileprivate func rangeByScore(_ arguments: ArraySlice<Bytes>) throws(CommandError) -> RESPValue {
        var arguments = Arguments(arguments)
        let (name, range) = (try arguments.next(), try arguments.scoreRange())
        var (withScores, offset, limit) = (false, 0, -1)
        while !arguments.isEmpty {
            if arguments.take("WITHSCORES") {
                withScores = true
            } else if arguments.take("LIMIT") {
                (offset, limit) = (try arguments.clamped(), try arguments.clamped())
            } else {
                throw .syntax
            }
        }
        var elements = try sortedSet(name)?.elements(in: range) ?? []
        elements = offset < 0 ? [] : elements.dropFirst(offset)
        if limit >= 0 { elements = elements.prefix(limit) }
        return reply(elements, withScores: withScores)
    }

    fileprivate func reply(_ elements: ArraySlice<SortedSetValue.Element>, withScores: Bool) -> RESPValue {
        guard withScores else { return .array(elements.map { .bulk($0.member) }) }
        return .array(elements.flatMap { [.bulk($0.member), .bulk($0.score.redisText)] })
    }
}
