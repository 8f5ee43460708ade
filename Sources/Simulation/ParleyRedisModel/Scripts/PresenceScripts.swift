import ParleyRedis
import ParleyRedisClient

extension ModelledScript {
    static let presenceScripts: [ModelledScript] = [
        ModelledScript(name: "presenceWrite", script: RedisScripts.presenceWrite) {
            engine, input throws(CommandError) in
            try writePresence(&engine, input)
        },
        ModelledScript(name: "presenceRead", script: RedisScripts.presenceRead) { engine, input throws(CommandError) in
            var answer: [RESPValue] = [.bulk("\(engine.microseconds)".redisBytes)]
            for number in stride(from: 2, through: input.keys.count, by: 1) {
                let (isOnline, seen) = try look(
                    &engine, input.key(number), leases: input.key(1), lease: input.number(1),
                    retention: input.argument(2))
                answer += [.lua(isOnline), .integer(seen ?? -1)]
            }
            return .array(answer)
        },
        ModelledScript(name: "presenceRenew", script: RedisScripts.presenceRenew) {
            engine, input throws(CommandError) in
            let (leases, node, now) = (try input.key(1), try input.argument(1), engine.milliseconds)
            let isKnown = try score(&engine, node, leases) > Double(now)
            try engine.call("ZADD", leases, now + input.number(2), node)
            try engine.call("ZREMRANGEBYSCORE", leases, "-inf", now - input.number(3) * 1000)
            return .lua(isKnown)
        },
        ModelledScript(name: "presenceLeases", script: RedisScripts.presenceLeases) {
            engine, input throws(CommandError) in
            try engine.call("ZRANGEBYSCORE", input.key(1), "(\(engine.milliseconds)", "+inf")
        },
    ]

    private static func score(
        _ engine: inout Engine, _ member: Bytes, _ key: Bytes
    ) throws(CommandError) -> Double {
        try engine.call("ZSCORE", key, member).bytes.flatMap { Double(redis: $0) } ?? 0
    }

    /// `look` of the scripts: whether a user is online and was last seen, without the nodes that have no lease.
    private static func look(
        _ engine: inout Engine, _ key: Bytes, leases: Bytes, lease: Int64, retention: Bytes
    ) throws(CommandError) -> (isOnline: Bool, seen: Int64?) {
        let fields = try engine.call("HGETALL", key).elements?.compactMap(\.bytes) ?? []
        var (isOnline, seen, isChanged): (Bool, Int64?, Bool) = (false, nil, false)
        for index in stride(from: 0, to: fields.count, by: 2) {
            if fields[index] == "seen".redisBytes {
                guard let value = Int64(canonical: fields[index + 1]) else { throw .notModelled("seen is no integer") }
                seen = max(seen ?? 0, value)
                continue
            }
            let score = try score(&engine, fields[index], leases)
            if score > Double(engine.milliseconds) {
                isOnline = true
            } else {
                try engine.call("HDEL", key, fields[index])
                if score > 0 {
                    let left = ((score - Double(lease)) / 1000).rounded(.down)
                    seen = max(seen ?? 0, Int64(exactly: left) ?? 0)
                }
                isChanged = true
            }
        }
        if isChanged, let seen {
            try engine.call("HSET", key, "seen", seen)
            try engine.call("EXPIRE", key, retention)
        }
        return (isOnline, seen)
    }

    private static func writePresence(
        _ engine: inout Engine, _ input: ScriptInput
    ) throws(CommandError) -> RESPValue {
        let (leases, node, now) = (try input.key(1), try input.argument(1), engine.milliseconds)
        let (lease, retention) = (try input.number(2), try input.argument(3))
        let isKnown = try score(&engine, node, leases) > Double(now)
        try engine.call("ZADD", leases, now + lease, node)
        for number in stride(from: 2, through: input.keys.count, by: 1) {
            let key = try input.key(number)
            var (before, seen) = try look(&engine, key, leases: leases, lease: lease, retention: retention)
            var after = true
            if try input.argument(number + 2) == "1".redisBytes {
                try engine.call("HSET", key, node, "1")
            } else {
                try engine.call("HDEL", key, node)
                after = try look(&engine, key, leases: leases, lease: lease, retention: retention).isOnline
                if before, !after {
                    seen = now / 1000
                    try engine.call("HSET", key, "seen", now / 1000)
                }
            }
            try engine.call("EXPIRE", key, retention)
            if before != after {
                let text = after ? "-" : seen.map { "\($0)" } ?? "-"
                try engine.call("PUBLISH", key, "\(after ? 1 : 0) \(text) \(engine.microseconds)")
                before = after
            }
        }
        return .lua(isKnown)
    }
}
