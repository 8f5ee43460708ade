import ParleyRedis
import ParleyRedisClient

extension ModelledScript {
    /// The scripts of Django's core layer.
    static let queueScripts: [ModelledScript] = [
        ModelledScript(name: "queueTake", script: RedisScripts.queueTake) { engine, input throws(CommandError) in
            let (due, thread, now) = (try input.key(1), try input.argument(1), engine.milliseconds)
            guard let score = try engine.call("ZSCORE", due, thread).bytes.flatMap({ Double(redis: $0) }) else {
                return .array([])
            }
            if try input.argument(2) == "0".redisBytes, score > Double(now) { return .array([]) }
            try engine.call("ZADD", due, now + turn, thread)
            let from = try engine.call("HGET", input.key(2), thread).bytes ?? "1".redisBytes
            return try batch(&engine, input, now, from)
        },
        ModelledScript(name: "queueCommit", script: RedisScripts.queueCommit) { engine, input throws(CommandError) in
            let (due, from, thread) = (try input.key(1), try input.key(2), try input.argument(1))
            let taken = try engine.call("HGET", from, thread).bytes.flatMap { Int64(canonical: $0) } ?? 0
            let following = try input.number(2) + 1
            if taken > following { return .array([]) }
            let next = "\(following)".redisBytes
            let now = engine.milliseconds
            let reply = try batch(&engine, input, now, next)
            if reply.elements?.last == .array([]) {
                try engine.call("ZREM", due, thread)
                try engine.call("HDEL", from, thread)
                return .array([])
            }
            try engine.call("HSET", from, thread, next)
            try engine.call("ZADD", due, now + turn, thread)
            return reply
        },
        ModelledScript(name: "queueOverdue", script: RedisScripts.queueOverdue) { engine, input throws(CommandError) in
            let end = engine.milliseconds - (try input.number(1))
            return try engine.call("ZRANGEBYSCORE", input.key(1), "-inf", end, "LIMIT", 0, input.argument(2))
        },
        ModelledScript(name: "queueSend", script: RedisScripts.queueSend) { engine, input throws(CommandError) in
            var effect = try QueueSendEffect(input, engine)
            return try effect.run(&engine)
        },
        ModelledScript(name: "queueMembers", script: RedisScripts.queueMembers) { engine, input throws(CommandError) in
            for (index, key) in input.keys.enumerated() {
                let change = try input.argument(index + 3)
                let member = change.sub(2)
                if change.first == UInt8(ascii: "+") {
                    engine.pcall("ZADD", key, try input.argument(1), member)
                    engine.pcall("EXPIRE", key, try input.argument(2))
                } else {
                    engine.pcall("ZREM", key, member)
                }
            }
            return .integer(Int64(input.keys.count))
        },
    ]

    private static let turn: Int64 = 2000

    /// The clock, the first seq, and the entries of a log from there.
    private static func batch(
        _ engine: inout Engine, _ input: ScriptInput, _ now: Int64, _ from: Bytes
    ) throws(CommandError) -> RESPValue {
        var entries = try engine.entries(input.key(3), from: from + "-0".redisBytes, count: 64)
        shorten(&entries)
        return .array([.integer(now), Int64(canonical: from).map { .integer($0) } ?? .null, .array(entries)])
    }
}

/// The effect of `RedisScripts.queueSend`.
private struct QueueSendEffect {
    private let input: ScriptInput
    private let seconds: Double
    private let expiry: Double
    private let count: Int
    private let arePieces: Bool
    private let queues: Int
    private var added: Int64 = 0
    private var full: Int64 = 0
    private var failed: Int64 = 0

    init(_ input: ScriptInput, _ engine: Engine) throws(CommandError) {
        self.input = input
        let (whole, rest) = engine.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        seconds = Double(whole) + Double(rest) / 1_000_000
        expiry = Double(try input.number(2))
        count = Int(clamping: try input.number(3))
        arePieces = try input.argument(4) == "1".redisBytes
        queues = input.keys.count - 1
    }

    private var step: Int { arePieces ? 3 : 2 + queues }

    /// The place before the arguments of a message.
    private func place(_ message: Int) -> Int { 4 + 2 * queues + message * step }

    mutating func run(_ engine: inout Engine) throws(CommandError) -> RESPValue {
        let (sentKey, epoch) = (try input.key(1), try input.argument(1))
        var last: Int64 = -1
        if let sent = try engine.get(sentKey), let space = sent.lastIndex(of: UInt8(ascii: " ")),
            sent[..<space].elementsEqual(epoch), let seq = Int64(canonical: sent[(space + 1)...])
        {
            last = seq
        }
        let newest = try input.number(place(count - 1) + 1)
        if newest <= last { return .array([.integer(0), .integer(0), .integer(0)]) }
        try engine.call("SET", sentKey, epoch + " \(newest)".redisBytes, "EX", 3600)
        for queue in stride(from: 1, through: queues, by: 1) { try send(&engine, to: queue, after: last) }
        return .array([.integer(added), .integer(full), .integer(failed)])
    }

    private mutating func send(_ engine: inout Engine, to queue: Int, after last: Int64) throws(CommandError) {
        let (key, capacity) = (try input.key(queue + 1), try input.number(3 + 2 * queue))
        engine.pcall("ZREMRANGEBYSCORE", key, 0, seconds.rounded(.down) - expiry)
        // An error if the key is no queue.
        let length = engine.pcall("ZCARD", key)
        var size = Int64(0)
        var isQueue = false
        if case .integer(let number) = length { (size, isQueue) = (number, true) }
        var score = seconds
        if isQueue, size > 0 {
            let newest = try engine.call("ZREVRANGE", key, 0, 0, "WITHSCORES").elements?.last?.bytes
            let top = newest.flatMap { Double(redis: $0) } ?? 0
            if top >= score, top < seconds + expiry { score = top + 0.000002 }
        }
        var isChanged = false
        for message in 0..<count {
            let at = place(message)
            guard try input.number(at + 1) > last else { continue }
            if !isQueue {
                failed += 1
            } else if size >= capacity {
                full += 1
            } else {
                let start = try input.argument(at + 2)
                let payload =
                    try arePieces
                    ? input.argument(at + 3) + input.argument(4 + 2 * queue) : input.argument(at + 2 + queue)
                try engine.call("ZADD", key, score, start + payload)
                size += 1
                score += 0.000002
                added += 1
                isChanged = true
            }
        }
        if isChanged { try engine.call("EXPIRE", key, Int64(expiry)) }
    }
}
