package import ParleyRedisClient

extension RedisScripts {
    /// Stores the status of a node and removes dead nodes. KEYS: nodes, status. ARGV: node, status, milliseconds of
    /// validity (0 removes the node).
    package static let nodePut = RedisScript(
        #"""
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        if ARGV[3] == '0' then
          redis.call('ZREM', KEYS[1], ARGV[1])
          redis.call('DEL', KEYS[2])
        else
          redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[3]), ARGV[1])
          redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
        end
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
        return 1
        """#)

    /// Lists the nodes that are alive. KEYS: nodes. ARGV: the maximum number of nodes.
    package static let nodeList = RedisScript(
        #"""
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        return redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. string.format('%.0f', now), '+inf', 'LIMIT', 0, ARGV[1])
        """#)

    /// Appends to a list, dropping the oldest entries. KEYS: list. ARGV: text, the maximum number of entries,
    /// milliseconds to keep them.
    package static let nodePost = RedisScript(
        #"""
        redis.call('RPUSH', KEYS[1], ARGV[1])
        redis.call('LTRIM', KEYS[1], -ARGV[2], -1)
        redis.call('PEXPIRE', KEYS[1], ARGV[3])
        return 1
        """#)

    /// Removes a list and replies its entries. KEYS: list.
    package static let nodeTake = RedisScript(
        #"""
        local all = redis.call('LRANGE', KEYS[1], 0, -1)
        if #all > 0 then redis.call('DEL', KEYS[1]) end
        return all
        """#)
}
