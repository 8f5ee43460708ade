extension RedisScripts {
    /// What the scripts below begin with. Of a user there is a hash with a field for each node that has sockets of
    /// them, and one for when they were last seen. A field of a node without a lease says nothing and goes.
    private static let presence = #"""
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        local stamp = string.format('%.0f', time[1] * 1000000 + time[2])
        local function look(key, lease, retention)
          local fields = redis.call('HGETALL', key)
          local online, seen, isChanged = false, false, false
          for i = 1, #fields, 2 do
            if fields[i] == 'seen' then seen = math.max(seen or 0, tonumber(fields[i + 1])) else
              local score = tonumber(redis.call('ZSCORE', KEYS[1], fields[i]) or 0)
              if score > now then online = true else
                redis.call('HDEL', key, fields[i])
                if score > 0 then seen = math.max(seen or 0, math.floor((score - lease) / 1000)) end
                isChanged = true
              end
            end
          end
          if isChanged and seen then
            redis.call('HSET', key, 'seen', string.format('%.0f', seen))
            redis.call('EXPIRE', key, retention)
          end
          return online, seen
        end
        """#

    /// KEYS leases, users. ARGV node, milliseconds of a lease, seconds for which users are remembered, for each user
    /// whether the node has sockets of them. Publishes what changes. Answers whether the node's lease was alive.
    package static let presenceWrite = RedisScript(
        presence + #"""

            local known = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0) > now
            redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1])
            for i = 2, #KEYS do
              local key = KEYS[i]
              local before, seen = look(key, ARGV[2], ARGV[3])
              local after
              if ARGV[i + 2] == '1' then
                redis.call('HSET', key, ARGV[1], '1')
                after = true
              else
                redis.call('HDEL', key, ARGV[1])
                after = look(key, ARGV[2], ARGV[3])
                if before and not after then
                  seen = tonumber(time[1])
                  redis.call('HSET', key, 'seen', time[1])
                end
              end
              redis.call('EXPIRE', key, ARGV[3])
              if before ~= after then
                local text = seen and not after and string.format('%.0f', seen) or '-'
                redis.call('PUBLISH', key, (after and '1' or '0') .. ' ' .. text .. ' ' .. stamp)
              end
            end
            return known and 1 or 0
            """#)

    /// KEYS leases, users. ARGV milliseconds of a lease, seconds for which users are remembered. Answers a stamp, and
    /// of each user `1` or `0` and when they were last seen.
    package static let presenceRead = RedisScript(
        presence + #"""

            local answer = {stamp}
            for i = 2, #KEYS do
              local online, seen = look(KEYS[i], ARGV[1], ARGV[2])
              answer[#answer + 1] = online and 1 or 0
              answer[#answer + 1] = seen or -1
            end
            return answer
            """#)

    /// KEYS leases. ARGV node, milliseconds of its lease (0: it ends), seconds for which leases are remembered. Answers
    /// whether the lease was alive.
    package static let presenceRenew = RedisScript(
        #"""
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        local known = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0) > now
        redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1])
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ARGV[3] * 1000))
        return known and 1 or 0
        """#)

    /// KEYS leases. Answers the nodes whose lease is alive.
    package static let presenceLeases = RedisScript(
        #"""
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        return redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. string.format('%.0f', now), '+inf')
        """#)
}
