import ParleyChannels
import ParleyRedis
import ParleyRedisClient

extension ModelledScript {
    static let checkScripts: [ModelledScript] = [
        ModelledScript(name: "check", script: RedisScripts.check) { engine, input throws(CommandError) in
            var heads: [RESPValue] = []
            for number in stride(from: 1, through: input.keys.count, by: 3) {
                heads.append(.bulk(optional: try check(&engine, input, number)))
            }
            return .array(heads)
        },
        ModelledScript(name: "recheck", script: RedisScripts.recheck) { engine, input throws(CommandError) in
            for (index, key) in input.keys.enumerated() {
                guard let stored = try engine.get(key) else { continue }
                let head = try LuaHead(stored)
                guard head.seq < (try input.number(index + 2)) else { continue }
                try engine.call("SET", key, stored.sub(1, 40) + (try input.argument(1)))
            }
            return .integer(1)
        },
        ModelledScript(name: "endEpoch", script: RedisScripts.endEpoch) { engine, input throws(CommandError) in
            guard let stored = try engine.get(input.key(1)), stored.sub(33, 40) == (try input.argument(1)) else {
                return .integer(0)
            }
            var head = try LuaHead(stored)
            try noteFormer(&engine, input.key(2), epoch: input.argument(1), through: input.number(4))
            head.seq += try input.number(3)
            head.doubt = engine.milliseconds + (try input.number(5))
            head.term = try padded(input.argument(2)) + stored.sub(41, 48)
            try engine.call("SET", input.key(1), head.bytes)
            try engine.call("DEL", input.key(3))
            return .integer(1)
        },
        ModelledScript(name: "settle", script: RedisScripts.settle) { engine, input throws(CommandError) in
            let mark = try input.argument(1)
            if let record = try engine.get(input.key(1)), record.sub(1, 8) == mark { return .bulk(record.sub(10)) }
            guard var found = input.optional(2) else { return .null }
            let progress = try engine.get(input.key(3)).map { Double(redis: $0) ?? .nan } ?? 0
            if try progress < Double(input.number(3)) {
                found = "lost".redisBytes
                try engine.call("SET", input.key(3), input.argument(3))
            }
            try engine.call("SET", input.key(1), mark + " ".redisBytes + found)
            if found == "lost".redisBytes { try engine.call("SET", input.key(2), engine.milliseconds) }
            return .bulk(found)
        },
        ModelledScript(name: "advance", script: RedisScripts.advance) { engine, input throws(CommandError) in
            guard let record = try engine.get(input.key(1)), record.sub(1, 8) == (try input.argument(1)) else {
                return .null
            }
            return try engine.call("INCR", input.key(2))
        },
        ModelledScript(name: "evidence", script: RedisScripts.evidence) { engine, input throws(CommandError) in
            var replies: [RESPValue] = []
            for (index, stream) in input.keys.enumerated() {
                let id = try input.argument(index + 1)
                let stored = try engine.call("GET", stream + ChannelNames.storedSuffix.redisBytes)
                let found = try engine.entries(stream, from: id, through: id).count
                replies.append(.array([stored, .integer(Int64(found))]))
            }
            return .array(replies)
        },
        ModelledScript(name: "acknowledge", script: RedisScripts.acknowledge) { engine, input throws(CommandError) in
            for (index, stream) in input.keys.enumerated() {
                try engine.call("SET", stream + ChannelNames.storedSuffix.redisBytes, input.argument(index + 1))
            }
            return .integer(1)
        },
    ]

    /// Checks one thread.
    /// - Parameter number: that of its first key.
    /// - Returns: its head; `nil` if it is unknown.
    private static func check(
        _ engine: inout Engine, _ input: ScriptInput, _ number: Int
    ) throws(CommandError) -> Bytes? {
        guard let stored = try engine.get(input.key(number)) else { return nil }
        var head = try LuaHead(stored)
        let (mark, found) = (try input.argument(1), try input.argument(3))
        guard head.mark != mark else { return stored }
        let first = 4 + (number - 1) / 3 * 7
        let left = max(head.seq, try input.number(first + 3))
        var start = left
        let seen = try input.argument(first + 6)
        let isFormer = try isFormer(&engine, input.key(number + 2), epoch: seen)
        let hasEnded = !seen.isEmpty && seen != head.epoch && !isFormer
        if seen == head.epoch || hasEnded { start = max(left, try input.number(first + 7)) }
        if start > head.seq || hasEnded || found == "lost".redisBytes {
            let storedEpoch = try input.argument(first + 2)
            if left == head.seq || storedEpoch == head.epoch {
                try noteFormer(&engine, input.key(number + 2), epoch: head.epoch, through: left)
            }
            if start > head.seq { try engine.call("DEL", input.key(number + 1)) }
            head.seq = start
            head.messages = max(head.messages, try input.number(first + 4))
            head.date = max(head.date, try input.number(first + 5))
            head.doubt = engine.milliseconds + (try input.number(4))
            head.term = try padded(input.argument(first + 1)) + padded(mark)
        } else {
            head.term = head.epoch + (found == "read".redisBytes ? try input.argument(2) : mark)
        }
        try engine.call("SET", input.key(number), head.bytes)
        return head.bytes
    }

    private static func isFormer(_ engine: inout Engine, _ key: Bytes, epoch: Bytes) throws(CommandError) -> Bool {
        let former = try engine.get(key) ?? []
        return stride(from: 0, to: former.count, by: 16).contains { former.sub($0 + 1, $0 + 8) == epoch }
    }

    /// `RedisScripts.noteFormer`.
    private static func noteFormer(
        _ engine: inout Engine, _ key: Bytes, epoch: Bytes, through: Int64
    ) throws(CommandError) {
        let former = try engine.get(key) ?? []
        let note = try padded(epoch) + through.bigEndianBytes + former.sub(1, 112)
        try engine.call("SET", key, note, "EX", 2_592_000)
    }
}
