package import ParleyRedisClient

extension RedisScripts {
    /// Takes tokens from a bucket. KEYS: bucket. ARGV: microseconds per token, microseconds of a full bucket, tokens.
    /// Replies the microseconds to wait, 0 if the tokens are taken. The key holds the time at which the bucket will be
    /// full, and expires then.
    package static let take = RedisScript(
        #"""
        local time = redis.call('TIME')
        local now = time[1] * 1000000 + time[2]
        local full = tonumber(redis.call('GET', KEYS[1]) or 0)
        if full < now then full = now end
        full = full + ARGV[1] * ARGV[3]
        local wait = full - now - ARGV[2]
        if wait > 0 then return wait end
        redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', math.ceil((full - now) / 1000))
        return 0
        """#)

    /// Counts failures within a window. KEYS: window. ARGV: failures to add, milliseconds. Replies `{failures,
    /// milliseconds left}`.
    package static let count = RedisScript(
        #"""
        local failures
        if ARGV[1] == '0' then
          failures = tonumber(redis.call('GET', KEYS[1]) or 0)
        else
          failures = redis.call('INCRBY', KEYS[1], ARGV[1])
        end
        local left = redis.call('PTTL', KEYS[1])
        if failures > 0 and left < 0 then
          redis.call('PEXPIRE', KEYS[1], ARGV[2])
          left = tonumber(ARGV[2])
        end
        return {failures, left}
        """#)
}
