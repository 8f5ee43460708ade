package import ParleyRedisClient

extension RedisScripts {
    /// The beginning of the scripts below. A user has a hash with a field for each node that holds connections of the
    /// user, and one for the last-seen time. Fields of nodes without a lease are ignored and removed.
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

    /// Writes the presence of users on a node and publishes changes. KEYS: leases, users. ARGV: node, milliseconds of a
    /// lease, seconds to keep users, then for each user whether the node has connections. Replies whether the node's
    /// lease was alive.
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

    /// Reads the presence of users. KEYS: leases, users. ARGV: milliseconds of a lease, seconds to keep users. Replies
    /// a stamp, and for each user `1` or `0` and the last-seen time.
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

    /// Renews or ends a lease. KEYS: leases. ARGV: node, milliseconds of its lease (0 ends it), seconds to keep leases.
    /// Replies whether the lease was alive.
    package static let presenceRenew = RedisScript(
        #"""
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        local known = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0) > now
        redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1])
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ARGV[3] * 1000))
        return known and 1 or 0
        """#)

    /// Lists the nodes with a live lease. KEYS: leases.
    package static let presenceLeases = RedisScript(
        #"""
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        return redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. string.format('%.0f', now), '+inf')
        """#)
}
