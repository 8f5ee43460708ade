import ParleyRedisClient

extension Command {
    static let stringCommands: [Command] = [
        Command("get", 2) { engine, names throws(CommandError) in
            var names = Arguments(names)
            return .bulk(optional: try engine.string(names.next()))
        },
        Command("mget", -2) { engine, names in
            // A value of another type counts as none.
            .array(names.map { .bulk(optional: (try? engine.string($0)) ?? nil) })
        },
        Command("set", -3, [.write, .denyOOM]) { engine, arguments throws(CommandError) in
            try engine.set(arguments)
        },
        Command("psetex", 4, [.write, .denyOOM]) { engine, arguments throws(CommandError) in
            var arguments = Arguments(arguments)
            let (name, time, value) = (try arguments.next(), try arguments.integer(), try arguments.next())
            guard time > 0 else { throw CommandError("ERR invalid expire time in 'psetex' command") }
            let expiry = try engine.expiry(after: time, unit: 1, "psetex")
            engine.keyspace.set(engine.key(name), to: value, expiry: expiry)
            return .status("OK")
        },
        Command("incr", 2, [.write, .denyOOM]) { engine, names throws(CommandError) in
            var names = Arguments(names)
            return try engine.increment(names.next(), by: 1)
        },
        Command("incrby", 3, [.write, .denyOOM]) { engine, arguments throws(CommandError) in
            var arguments = Arguments(arguments)
            return try engine.increment(arguments.next(), by: arguments.integer())
        },
    ]
}

extension Engine {
    fileprivate func string(_ name: Bytes) throws(CommandError) -> Bytes? {
        try keyspace.value(StringValue.self, of: key(name))?.bytes
    }

    fileprivate mutating func set(_ arguments: ArraySlice<Bytes>) throws(CommandError) -> RESPValue {
        var arguments = Arguments(arguments)
        let (key, value) = (key(try arguments.next()), try arguments.next())
        var (expiry, needsNone, needsOne, keepsExpiry): (Int64?, Bool, Bool, Bool) = (nil, false, false, false)
        while !arguments.isEmpty {
            if arguments.take("NX"), !needsOne {
                needsNone = true
            } else if arguments.take("XX"), !needsNone {
                needsOne = true
            } else if arguments.take("KEEPTTL") {
                keepsExpiry = true
            } else if arguments.take("PX"), expiry == nil {
                expiry = try self.expiry(afterPositive: arguments.integer(), unit: 1)
            } else if arguments.take("EX"), expiry == nil {
                expiry = try self.expiry(afterPositive: arguments.integer(), unit: 1000)
            } else {
                throw .notModelled("options of set")
            }
        }
        let isThere = keyspace.contains(key)
        if isThere ? needsNone : needsOne { return .null }
        if keepsExpiry { expiry = keyspace.expiry(of: key) }
        keyspace.set(key, to: value, expiry: expiry)
        return .status("OK")
    }

    private func expiry(afterPositive time: Int64, unit: Int64) throws(CommandError) -> Int64 {
        guard time > 0 else { throw CommandError("ERR invalid expire time in 'set' command") }
        return try expiry(after: time, unit: unit, "set")
    }

    fileprivate mutating func increment(_ name: Bytes, by amount: Int64) throws(CommandError) -> RESPValue {
        let key = key(name)
        let old = try keyspace.value(StringValue.self, of: key)?.bytes ?? Array("0".utf8)
        guard let number = Int64(canonical: old) else { throw .notInteger }
        let (sum, isTooMuch) = number.addingReportingOverflow(amount)
        guard !isTooMuch else { throw CommandError("ERR increment or decrement would overflow") }
        keyspace.set(key, to: Array(String(sum).utf8), expiry: keyspace.expiry(of: key))
        return .integer(sum)
    }
}

extension RESPValue {
    static func bulk(optional bytes: Bytes?) -> RESPValue { bytes.map { .bulk($0) } ?? .null }
}
