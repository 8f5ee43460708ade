import ParleyRedis
import ParleyRedisClient

extension ModelledScript {
    /// Claims, names and guests' names, which one holds at a time.
    static let nameScripts: [ModelledScript] = [
        ModelledScript(name: "holdName", script: RedisScripts.holdName) { engine, input throws(CommandError) in
            let (key, owner) = (try input.key(1), try input.argument(1))
            if let other = try engine.get(key), other != owner { return .integer(0) }
            try engine.call("SET", key, owner, "PX", input.argument(2))
            return .integer(1)
        },
        ModelledScript(name: "releaseName", script: RedisScripts.releaseName) { engine, input throws(CommandError) in
            guard try engine.get(input.key(1)) == input.argument(1) else { return .integer(0) }
            return try engine.call("DEL", input.key(1))
        },
        ModelledScript(name: "holdGuest", script: RedisScripts.holdGuest) { engine, input throws(CommandError) in
            let (key, owner, plain) = (try input.key(1), try input.argument(1), try input.argument(2))
            let now = engine.milliseconds
            try engine.call("ZREMRANGEBYSCORE", key, "-inf", now)
            let claims = try engine.call("ZRANGE", key, 0, 99).elements?.compactMap(\.bytes) ?? []
            let space = UInt8(ascii: " ")
            for claim in claims {
                guard let end = claim.firstIndex(of: space) else { throw .notModelled("a claim without a space") }
                let other = claim[(end + 1)...]
                if !claim[..<end].elementsEqual(owner), other.isEmpty || plain.isEmpty || other.elementsEqual(plain) {
                    return .integer(0)
                }
            }
            let own = owner + [space] + plain
            if claims.count > 99, try engine.call("ZSCORE", key, own) == .null { return .integer(0) }
            try engine.call("ZADD", key, now + input.number(3), own)
            try engine.call("PEXPIRE", key, input.argument(3))
            return .integer(1)
        },
        ModelledScript(name: "releaseGuest", script: RedisScripts.releaseGuest) { engine, input throws(CommandError) in
            try engine.call("ZREM", input.key(1), input.argument(1) + " ".redisBytes + input.argument(2))
        },
    ]

    static let sendScripts: [ModelledScript] = [
        ModelledScript(name: "claim", script: RedisScripts.claim) { engine, input throws(CommandError) in
            let (key, mark, digest) = (try input.key(1), try input.key(2), try input.argument(1))
            let now = engine.milliseconds
            if let first = try engine.get(key), first != digest, first.sub(1, 4) == digest.sub(1, 4) {
                return .integer(-1)
            }
            let lead = max(0, min(try input.number(2) - now, 30 * 24 * 60 * 60 * 1000))
            try engine.call("SET", key, digest, "PX", lead + input.number(3))
            if let since = try engine.get(mark) {
                // What is no number becomes nil, which is replied as null.
                return Int64(canonical: since).map { .integer($0) } ?? .null
            }
            try engine.call("SET", mark, now)
            return .integer(now)
        }
    ]
}
