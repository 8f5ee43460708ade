import ParleyRedis
import ParleyRedisClient

extension ModelledScript {
    static let logScripts: [ModelledScript] = [
        ModelledScript(name: "read", script: RedisScripts.read) { engine, input throws(CommandError) in
            guard let head = try engine.get(input.key(1)) else { return .array([]) }
            var events: [RESPValue] = []
            if try input.argument(2) != "0".redisBytes {
                let start = try input.argument(1) + "-1".redisBytes
                events = try engine.entries(input.key(2), from: start, count: Int(input.number(2)))
            }
            shorten(&events)
            let oldest = try engine.entries(input.key(2), from: "-", count: 1).first?.entryID
            return .array([
                .bulk(head), .bulk(optional: oldest), .array(events), .bulk(optional: try engine.get(input.key(3))),
            ])
        },
        ModelledScript(name: "window", script: RedisScripts.window) { engine, input throws(CommandError) in
            var entries = try engine.entries(input.key(1), from: input.argument(1), count: 512)
            shorten(&entries)
            return .array(entries)
        },
        ModelledScript(name: "redact", script: RedisScripts.redact) { engine, input throws(CommandError) in
            try redact(&engine, input)
        },
        ModelledScript(name: "forget", script: RedisScripts.forget) { engine, input throws(CommandError) in
            if let head = try engine.get(input.key(1)) {
                try engine.call("SET", input.argument(1) + head.sub(33, 40), "", "PX", input.argument(2))
            }
            try engine.call("DEL", input.key(1), input.key(2), input.key(3))
            return .integer(1)
        },
        ModelledScript(name: "seed", script: RedisScripts.seed) { engine, input throws(CommandError) in
            if let head = try engine.get(input.key(1)) { return .bulk(head) }
            let seconds = engine.microseconds / 1_000_000
            let head = LuaHead(
                seq: try input.number(2), messages: try input.number(3), date: try input.number(4),
                doubt: seconds * 1000 + (try input.number(5)),
                term: try padded(input.argument(1)) + padded(input.argument(6)))
            try engine.call("DEL", input.key(2))
            try engine.call("SET", input.key(1), head.bytes)
            return .bulk(head.bytes)
        },
    ]

    /// `RedisScripts.shorten`: what is behind 8 MiB is left out, but for the first entry.
    static func shorten(_ entries: inout [RESPValue]) {
        var size = 0
        for (index, entry) in entries.enumerated() {
            size += entry.entryFields.reduce(0) { $0 + $1.count }
            if size > 8_388_608, index > 0 {
                entries.removeLast(entries.count - index)
                return
            }
        }
    }

    /// `c8` of `struct.pack`, for texts of at least 8 bytes.
    static func padded(_ text: Bytes) throws(CommandError) -> Bytes {
        guard text.count >= 8 else { throw .notModelled("a text of \(text.count) bytes that is packed as c8") }
        return Array(text.prefix(8))
    }

    private static func redact(_ engine: inout Engine, _ input: ScriptInput) throws(CommandError) -> RESPValue {
        let log = try input.key(1)
        var new: [Bytes: Int] = [:]
        for index in stride(from: 1, through: input.arguments.count, by: 3) { new[try input.argument(index)] = index }
        var entries = try engine.entries(log, from: "-").map { ($0.entryID, $0.entryFields) }
        var count: Int64 = 0
        for (place, (id, fields)) in entries.enumerated() {
            guard let index = new[id], fields.count == 2,
                try RedisScript.sha(of: fields[1]).redisBytes == input.argument(index + 1)
            else { continue }
            entries[place].1[1] = try input.argument(index + 2)
            count += 1
        }
        guard count > 0 else { return .integer(0) }
        let life = try engine.call("PTTL", log).number ?? -1
        try engine.call("DEL", log)
        for (id, fields) in entries { try engine.call(all: ["XADD".redisBytes, log, id] + fields) }
        if life > 0 { try engine.call("PEXPIRE", log, life) }
        return .integer(count)
    }
}
