import ParleyRedisClient

extension Command {
    static let keyCommands: [Command] = [
        Command("del", -2, .write) { engine, names in
            .integer(names.reduce(0) { $0 + (engine.keyspace.remove(engine.key($1)) ? 1 : 0) })
        },
        Command("exists", -2) { engine, names in
            .integer(names.reduce(0) { $0 + (engine.keyspace.contains(engine.key($1)) ? 1 : 0) })
        },
        Command("type", 2) { engine, names throws(CommandError) in
            var names = Arguments(names)
            return .status(engine.keyspace.typeName(of: engine.key(try names.next())))
        },
        Command("ttl", 2) { engine, names throws(CommandError) in
            let left = try engine.timeLeft(names)
            return .integer(left < 0 ? left : (left + 500) / 1000)
        },
        Command("pttl", 2) { engine, names throws(CommandError) in .integer(try engine.timeLeft(names)) },
        Command("expire", -3, .write) { engine, arguments throws(CommandError) in
            try engine.expire(arguments, unit: 1000, "expire")
        },
        Command("pexpire", -3, .write) { engine, arguments throws(CommandError) in
            try engine.expire(arguments, unit: 1, "pexpire")
        },
        Command("persist", 2, .write) { engine, names throws(CommandError) in
            var names = Arguments(names)
            let key = engine.key(try names.next())
            guard engine.keyspace.expiry(of: key) != nil else { return .integer(0) }
            engine.keyspace.setExpiry(of: key, to: nil)
            return .integer(1)
        },
    ]
}

extension Engine {
    /// The milliseconds until a key is gone; -1 if it stays, -2 if it is not there.
    fileprivate func timeLeft(_ names: ArraySlice<Bytes>) throws(CommandError) -> Int64 {
        var names = Arguments(names)
        let key = key(try names.next())
        guard keyspace.contains(key) else { return -2 }
        return keyspace.expiry(of: key).map { max(0, $0 - milliseconds) } ?? -1
    }

    fileprivate mutating func expire(
        _ arguments: ArraySlice<Bytes>, unit: Int64, _ name: String
    ) throws(CommandError) -> RESPValue {
        var arguments = Arguments(arguments)
        let key = key(try arguments.next())
        let expiry = try self.expiry(after: try arguments.integer(), unit: unit, name)
        guard arguments.isEmpty else { throw .notModelled("options of \(name)") }
        guard keyspace.contains(key) else { return .integer(0) }
        if expiry <= milliseconds {
            keyspace.remove(key)
        } else {
            keyspace.setExpiry(of: key, to: expiry)
        }
        return .integer(1)
    }

    /// - Throws: an error if the time is out of range.
    func expiry(after time: Int64, unit: Int64, _ name: String) throws(CommandError) -> Int64 {
        let (milliseconds, isTooMuch) = time.multipliedReportingOverflow(by: unit)
        let (expiry, isTooLate) = milliseconds.addingReportingOverflow(self.milliseconds)
        guard !isTooMuch, !isTooLate else { throw CommandError("ERR invalid expire time in '\(name)' command") }
        return expiry
    }
}
