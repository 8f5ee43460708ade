import ParleyRedis
import ParleyRedisClient

extension ModelledScript {
    static let nodeScripts: [ModelledScript] = [
        ModelledScript(name: "nodePut", script: RedisScripts.nodePut) { engine, input throws(CommandError) in
            let (nodes, status, node) = (try input.key(1), try input.key(2), try input.argument(1))
            let now = engine.milliseconds
            if try input.argument(3) == "0".redisBytes {
                try engine.call("ZREM", nodes, node)
                try engine.call("DEL", status)
            } else {
                try engine.call("ZADD", nodes, now + input.number(3), node)
                try engine.call("SET", status, input.argument(2), "PX", input.argument(3))
            }
            try engine.call("ZREMRANGEBYSCORE", nodes, "-inf", now)
            return .integer(1)
        },
        ModelledScript(name: "nodeList", script: RedisScripts.nodeList) { engine, input throws(CommandError) in
            let start = "(\(engine.milliseconds)"
            return try engine.call("ZRANGEBYSCORE", input.key(1), start, "+inf", "LIMIT", 0, input.argument(1))
        },
        ModelledScript(name: "nodePost", script: RedisScripts.nodePost) { engine, input throws(CommandError) in
            let list = try input.key(1)
            try engine.call("RPUSH", list, input.argument(1))
            try engine.call("LTRIM", list, -(try input.number(2)), -1)
            try engine.call("PEXPIRE", list, input.argument(3))
            return .integer(1)
        },
        ModelledScript(name: "nodeTake", script: RedisScripts.nodeTake) { engine, input throws(CommandError) in
            let all = try engine.call("LRANGE", input.key(1), 0, -1)
            if all.elements?.isEmpty == false { try engine.call("DEL", input.key(1)) }
            return all
        },
    ]
}
