import ParleyChannels
package import ParleyRedisClient

/// The scripts of the core layer; see decision 040.
extension RedisScripts {
    /// Returns the scripts that every command connection loads if the core layer is used.
    static func core(_ settings: RedisSettings) -> [RedisScript] {
        settings.channels.core == nil ? [] : [queueTake, queueCommit, queueOverdue, queueSend, queueMembers]
    }

    /// The time for which other nodes leave a taken thread alone, in milliseconds.
    private static let turn = 2000
    /// The maximum number of events in a reply.
    private static let events = 64

    /// Takes a thread that has messages for Django. KEYS: due, from, log. ARGV: thread, 1 to take it even from another
    /// node. Replies `{}` if there is nothing to do, otherwise `{clock in milliseconds, first seq, entries}`.
    package static let queueTake = RedisScript(
        #"""
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        local due = redis.call('ZSCORE', KEYS[1], ARGV[1])
        if not due or (ARGV[2] == '0' and tonumber(due) > now) then return {} end
        redis.call('ZADD', KEYS[1], string.format('%.0f', now + \#(turn)), ARGV[1])
        local from = redis.call('HGET', KEYS[2], ARGV[1]) or '1'
        local entries = redis.call('XRANGE', KEYS[3], from .. '-0', '+', 'COUNT', \#(events))
        \#(shorten("entries"))
        return {now, tonumber(from), entries}
        """#)

    /// Commits that the messages of a thread are sent. KEYS: due, from, log. ARGV: thread, last seq. Replies as above:
    /// the messages that arrived in the meantime, or `{}`.
    package static let queueCommit = RedisScript(
        #"""
        local from = tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or '0')
        local following = ARGV[2] + 1
        -- Another node has sent more.
        if from > following then return {} end
        local entries = redis.call('XRANGE', KEYS[3], string.format('%.0f-0', following), '+', 'COUNT', \#(events))
        \#(shorten("entries"))
        if #entries == 0 then
          redis.call('ZREM', KEYS[1], ARGV[1])
          redis.call('HDEL', KEYS[2], ARGV[1])
          return {}
        end
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        redis.call('HSET', KEYS[2], ARGV[1], string.format('%.0f', following))
        redis.call('ZADD', KEYS[1], string.format('%.0f', now + \#(turn)), ARGV[1])
        return {now, following, entries}
        """#)

    /// Finds threads that no node has taken in time. KEYS: due. ARGV: milliseconds, the maximum number.
    package static let queueOverdue = RedisScript(
        #"""
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ARGV[1]), 'LIMIT', 0, ARGV[2])
        """#)

    /// Puts messages of a thread into queues, in order and each once. KEYS: sent, queues. ARGV: epoch, expiry in
    /// seconds, number of messages, 1 if payloads are in pieces; for each queue capacity and last piece; for each message
    /// seq, 12 bytes before the payload, and one payload for each queue, or the first piece for all of them.
    ///
    /// Replies the numbers of entries that were added, were left out because the queue was full, and could not be
    /// added.
    package static let queueSend = RedisScript(
        #"""
        local time = redis.call('TIME')
        local now = time[1] + time[2] / 1000000
        local epoch, expiry, count, joins = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'
        local queues = #KEYS - 1
        local step = joins and 3 or 2 + queues
        local first = 4 + 2 * queues
        local last = -1
        local sent = redis.call('GET', KEYS[1])
        if sent then
          local sentEpoch, seq = string.match(sent, '^(.*) (%d+)$')
          if sentEpoch == epoch then last = tonumber(seq) end
        end
        local newest = tonumber(ARGV[first + (count - 1) * step + 1])
        local added, full, failed = 0, 0, 0
        if newest <= last then return {0, 0, 0} end
        redis.call('SET', KEYS[1], epoch .. ' ' .. string.format('%.0f', newest), 'EX', 3600)
        for q = 1, queues do
          local key, capacity, piece = KEYS[q + 1], tonumber(ARGV[3 + 2 * q]), ARGV[4 + 2 * q]
          redis.pcall('ZREMRANGEBYSCORE', key, 0, string.format('%.0f', math.floor(now) - expiry))
          local size = redis.pcall('ZCARD', key)
          local isQueue = type(size) == 'number'
          local score = now
          if isQueue and size > 0 then
            -- Behind everything that waits, whatever clock it was sent by.
            local top = tonumber(redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2])
            if top >= score and top < now + expiry then score = top + 0.000002 end
          end
          local isChanged = false
          for e = 0, count - 1 do
            local at = first + e * step
            if tonumber(ARGV[at + 1]) > last then
              if not isQueue then
                failed = failed + 1
              elseif size >= capacity then
                full = full + 1
              else
                local payload = joins and ARGV[at + 3] .. piece or ARGV[at + 2 + q]
                redis.call('ZADD', key, string.format('%.17g', score), ARGV[at + 2] .. payload)
                size = size + 1
                score = score + 0.000002
                added = added + 1
                isChanged = true
              end
            end
          end
          if isChanged then redis.call('EXPIRE', key, expiry) end
        end
        return {added, full, failed}
        """#)

    /// Adds a node to groups, or removes it. KEYS: groups. ARGV: score, seconds to keep a group; for each group the
    /// member's name, after `+` or `-`.
    package static let queueMembers = RedisScript(
        #"""
        for i, key in ipairs(KEYS) do
          local member = string.sub(ARGV[i + 2], 2)
          -- A key of another type is no group; it must not keep the node out of the others.
          if string.sub(ARGV[i + 2], 1, 1) == '+' then
            redis.pcall('ZADD', key, ARGV[1], member)
            redis.pcall('EXPIRE', key, ARGV[2])
          else
            redis.pcall('ZREM', key, member)
          end
        end
        return #KEYS
        """#)
}
