import ParleyRedis
import ParleyRedisClient

extension ModelledScript {
    static let rateScripts: [ModelledScript] = [
        ModelledScript(name: "take", script: RedisScripts.take) { engine, input throws(CommandError) in
            let now = engine.microseconds
            let stored = try engine.get(input.key(1)).flatMap { Int64(canonical: $0) } ?? 0
            let cost = try input.number(1).multipliedReportingOverflow(by: input.number(3))
            guard !cost.overflow else { throw .notModelled("a bucket that is full after the end of time") }
            let full = max(stored, now) + cost.partialValue
            let wait = full - now - (try input.number(2))
            if wait > 0 { return .integer(wait) }
            // The quotient is rounded up.
            try engine.call("SET", input.key(1), full, "PX", (full - now + 999) / 1000)
            return .integer(0)
        },
        ModelledScript(name: "count", script: RedisScripts.count) { engine, input throws(CommandError) in
            let failures: Int64
            if try input.argument(1) == "0".redisBytes {
                failures = try engine.get(input.key(1)).flatMap { Int64(canonical: $0) } ?? 0
            } else {
                failures = try engine.call("INCRBY", input.key(1), input.argument(1)).number ?? 0
            }
            var left = try engine.call("PTTL", input.key(1)).number ?? -1
            if failures > 0, left < 0 {
                try engine.call("PEXPIRE", input.key(1), input.argument(2))
                left = try input.number(2)
            }
            return .array([.integer(failures), .integer(left)])
        },
    ]
}
