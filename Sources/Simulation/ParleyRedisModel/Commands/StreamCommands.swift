import ParleyRedisClient

extension Command {
    static let streamCommands: [Command] = [
        Command("xadd", -5, [.write, .denyOOM]) { engine, arguments throws(CommandError) in
            try engine.addEntry(arguments)
        },
        Command("xrange", -4) { engine, arguments throws(CommandError) in try engine.entries(arguments) },
        Command("xlen", 2) { engine, names throws(CommandError) in
            var names = Arguments(names)
            return .integer(Int64(try engine.stream(names.next())?.count ?? 0))
        },
        Command("xtrim", -4, .write) { engine, arguments throws(CommandError) in
            var arguments = Arguments(arguments)
            let name = try arguments.next()
            guard let trim = try arguments.trim(), arguments.isEmpty else { throw .syntax }
            guard try engine.stream(name) != nil else { return .integer(0) }
            return .integer(
                Int64(
                    try engine.keyspace.change(StreamValue.self, of: engine.key(name)) { stream in
                        stream.trim(trim.trim, isApproximate: trim.isApproximate)
                    }))
        },
    ]
}

extension Arguments {
    /// Reads `MAXLEN` or `MINID` with its threshold.
    fileprivate mutating func trim() throws(CommandError) -> (trim: StreamValue.Trim, isApproximate: Bool)? {
        let isCount = take("MAXLEN")
        guard isCount || take("MINID") else { return nil }
        let isApproximate = take("~")
        if !isApproximate { _ = take("=") }
        if isCount {
            let count = try clamped()
            guard count >= 0 else { throw CommandError("ERR The MAXLEN argument must be >= 0.") }
            return (.newest(count), isApproximate)
        }
        return (.from(try id(sequence: 0)), isApproximate)
    }

    fileprivate mutating func id(sequence: UInt64) throws(CommandError) -> EntryNumber {
        guard let id = EntryNumber(try next(), sequence: sequence) else { throw .invalidID }
        return id
    }

    /// An end of a range of ids, which `(` excludes.
    fileprivate mutating func end(isFirst: Bool) throws(CommandError) -> EntryNumber {
        let text = try next()
        if text == [UInt8(ascii: "-")] { return .lowest }
        if text == [UInt8(ascii: "+")] { return .highest }
        let isExcluded = text.first == UInt8(ascii: "(")
        let standard: UInt64 = isFirst ? 0 : .max
        guard let id = EntryNumber(isExcluded ? Array(text.dropFirst()) : text, sequence: standard) else {
            throw .invalidID
        }
        guard isExcluded else { return id }
        guard let neighbour = isFirst ? id.next : id.previous else {
            throw CommandError("ERR invalid \(isFirst ? "start" : "end") ID for the interval")
        }
        return neighbour
    }
}

extension Engine {
    fileprivate func stream(_ name: Bytes) throws(CommandError) -> StreamValue? {
        try keyspace.value(StreamValue.self, of: key(name))
    }

    fileprivate mutating func addEntry(_ arguments: ArraySlice<Bytes>) throws(CommandError) -> RESPValue {
        var arguments = Arguments(arguments)
        let key = key(try arguments.next())
        if arguments.take("NOMKSTREAM") { throw .notModelled("options of xadd") }
        let trim = try arguments.trim()
        let given = arguments.take("*") ? nil : try arguments.id(sequence: 0)
        let fields = arguments.all()
        guard !fields.isEmpty, fields.count % 2 == 0 else { throw .wrongNumber(of: "xadd") }
        if given == .lowest { throw CommandError("ERR The ID specified in XADD must be greater than 0-0") }
        let now = UInt64(clamping: milliseconds)
        let id = try keyspace.change(StreamValue.self, of: key) { stream throws(CommandError) in
            guard let id = given ?? stream.nextID(at: now), id > stream.last else { throw .lowID }
            stream.append(id, fields)
            if let trim { _ = stream.trim(trim.trim, isApproximate: trim.isApproximate) }
            return id
        }
        return .bulk(id.bytes)
    }

    fileprivate func entries(_ arguments: ArraySlice<Bytes>) throws(CommandError) -> RESPValue {
        var arguments = Arguments(arguments)
        let name = try arguments.next()
        let (first, last) = (try arguments.end(isFirst: true), try arguments.end(isFirst: false))
        var limit = Int.max
        if arguments.take("COUNT") { limit = max(0, try arguments.clamped()) }
        guard arguments.isEmpty else { throw .syntax }
        let found = try stream(name)?.entries(from: first, through: last, limit: limit) ?? []
        return .array(found.map { .array([.bulk($0.id.bytes), .array($0.fields.map { .bulk($0) })]) })
    }
}

extension CommandError {
    fileprivate static let invalidID = CommandError("ERR Invalid stream ID specified as stream command argument")
    fileprivate static let lowID = CommandError(
        "ERR The ID specified in XADD is equal or smaller than the target stream top item")
}
