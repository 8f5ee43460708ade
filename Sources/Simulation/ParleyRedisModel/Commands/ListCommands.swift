import ParleyRedisClient

extension Command {
    static let listCommands: [Command] = [
        Command("lpush", -3, [.write, .denyOOM]) { engine, arguments throws(CommandError) in
            try engine.push(arguments, atFront: true)
        },
        Command("rpush", -3, [.write, .denyOOM]) { engine, arguments throws(CommandError) in
            try engine.push(arguments, atFront: false)
        },
        Command("lpop", 2, .write) { engine, names throws(CommandError) in try engine.pop(names, fromFront: true) },
        Command("rpop", 2, .write) { engine, names throws(CommandError) in try engine.pop(names, fromFront: false) },
        Command("llen", 2) { engine, names throws(CommandError) in
            var names = Arguments(names)
            return .integer(Int64(try engine.list(names.next())?.elements.count ?? 0))
        },
        Command("lrange", 4) { engine, arguments throws(CommandError) in
            var arguments = Arguments(arguments)
            let (name, first, last) = (try arguments.next(), try arguments.clamped(), try arguments.clamped())
            guard let elements = try engine.list(name)?.elements else { return .array([]) }
            return .array(elements[elements.range(first, last)].map { .bulk($0) })
        },
        Command("ltrim", 4, .write) { engine, arguments throws(CommandError) in
            var arguments = Arguments(arguments)
            let (name, first, last) = (try arguments.next(), try arguments.clamped(), try arguments.clamped())
            guard try engine.list(name) != nil else { return .status("OK") }
            try engine.keyspace.change(ListValue.self, of: engine.key(name)) { list in
                list.keep(list.elements.range(first, last))
            }
            return .status("OK")
        },
    ]
}

extension Engine {
    fileprivate func list(_ name: Bytes) throws(CommandError) -> ListValue? {
        try keyspace.value(ListValue.self, of: key(name))
    }

    fileprivate mutating func push(
        _ arguments: ArraySlice<Bytes>, atFront: Bool
    ) throws(CommandError) -> RESPValue {
        var arguments = Arguments(arguments)
        let key = key(try arguments.next())
        let elements = arguments.all()
        let count = try keyspace.change(ListValue.self, of: key) { list in
            for element in elements { list.push(element, atFront: atFront) }
            return list.elements.count
        }
        signal(key)
        return .integer(Int64(count))
    }

    fileprivate mutating func pop(
        _ names: ArraySlice<Bytes>, fromFront: Bool
    ) throws(CommandError) -> RESPValue {
        var names = Arguments(names)
        let name = try names.next()
        guard try list(name) != nil else { return .null }
        return .bulk(
            optional: try keyspace.change(ListValue.self, of: key(name)) { list in list.pop(fromFront: fromFront) })
    }
}

extension RandomAccessCollection where Index == Int {
    /// A range of indices from 0 as Redis' commands have them: negative ones count from the end, and both ends belong
    /// to it.
    func range(_ first: Int, _ last: Int) -> Range<Int> {
        let start = Swift.max(0, first < 0 ? count + first : first)
        let end = Swift.min(count - 1, last < 0 ? count + last : last)
        return start <= end ? start..<(end + 1) : 0..<0
    }
}
