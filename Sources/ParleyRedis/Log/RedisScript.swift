import Crypto

/// A Lua script, known to Redis by the SHA-1 of its text.
package struct RedisScript: Sendable {
    package let source: String
    package let sha: String

    package init(_ source: String) {
        self.source = source
        sha = Insecure.SHA1.hash(data: Array(source.utf8))
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// All that a command connection loads.
    package static let all = [append, read, seed, raise, ingest, trim, holdName, releaseName]

    /// Starts an EVALSHA; the keys follow, then the arguments, `arguments` of them.
    package func command(keys: [String], arguments: Int, capacity: Int = 256) -> RESPCommand {
        var command = RESPCommand(count: 3 + keys.count + arguments, capacity: capacity)
        command.append("EVALSHA")
        command.append(sha)
        command.append(keys.count)
        for key in keys { command.append(key) }
        return command
    }

    /// The one way into the log. Everything or nothing: Redis runs it alone, and refuses it before its first write.
    ///
    /// KEYS head, log, ingest, and, for a send with a `clientID`, once.
    /// ARGV 1 channel · 2 epoch the node believes in, or empty · 3–5 pieces of the payload · 6 `1` for a message ·
    /// 7 `m` msgpack, `j` JSON, `e` encrypted · 8 window · 9 window's seconds · 10 `1` if the store does not know the
    /// send · 11 fingerprint · 12 message id · 13 once's milliseconds · 14–15 epoch and seq that the node has seen ·
    /// 16–20 seed: epoch, seq, messages, date, milliseconds of doubt; absent if the store was not asked.
    ///
    /// Answers `{0, seq, date_ms, epoch, 1 if in doubt, messages}` accepted · `{1, first}` sent before ·
    /// `{2}` conflict · `{3}` the thread is unknown · `{4}` another epoch · `{5}` the store must be asked for the send ·
    /// `{6}` the thread is behind what the node has seen, and needs a seed too.
    ///
    /// A seed begins a new epoch. It clears the log: what an evicted head has left behind would refuse lower ids. The
    /// log is the first that is written, since it alone could refuse. It is trimmed and its life prolonged only now and
    /// then, which saves a third of the time.
    package static let append = RedisScript(
        #"""
        local head, log, once = KEYS[1], KEYS[2], KEYS[4]
        if once then
          local first = redis.call('GET', once)
          if first then
            if string.sub(first, 1, 32) == ARGV[11] then return {1, first} end
            return {2}
          end
        end
        local h = redis.call('HMGET', head, 'epoch', 'seq', 'n', 'date_ms', 'doubt')
        local epoch, seq, n, last, doubt = h[1], tonumber(h[2]), tonumber(h[3]), tonumber(h[4]), tonumber(h[5])
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        if epoch and ARGV[2] ~= '' and ARGV[2] ~= epoch then return {4} end
        local isBehind = epoch and ARGV[14] == epoch and seq < tonumber(ARGV[15])
        local isNew = isBehind or not epoch
        if isNew then
          if not ARGV[16] then return {isBehind and 6 or 3} end
          seq = math.max(seq or 0, tonumber(ARGV[17]))
          n = math.max(n or 0, tonumber(ARGV[18]))
          last = math.max(last or 0, tonumber(ARGV[19]))
          epoch, doubt = ARGV[16], seq > 0 and now + ARGV[20]
        end
        local isDoubtful = doubt and now < doubt
        if isDoubtful and once and ARGV[10] ~= '1' then return {5} end
        local quiet = now - last
        if now < last then now = last end
        seq = seq + 1
        if ARGV[6] == '1' then n = n + 1 end
        local seqText, nowText = string.format('%.0f', seq), string.format('%.0f', now)
        local payload
        if ARGV[7] == 'm' then
          payload = ARGV[3] .. string.char(160 + #epoch) .. epoch
            .. struct.pack('>c4BI8c8BI8c5BI8', '\163seq', 207, seq, '\167date_ms', 207, now,
              '\164date', 207, math.floor(now / 1000))
            .. ARGV[4] .. struct.pack('>BI8', 207, n) .. ARGV[5]
        elseif ARGV[7] == 'e' then
          payload = table.concat({epoch, seqText, nowText, string.format('%.0f', n), ARGV[3]}, ' ')
        else
          payload = ARGV[3] .. '"' .. epoch .. '", "seq": ' .. seqText .. ', "date_ms": ' .. nowText
            .. ', "date": ' .. string.format('%.0f', math.floor(now / 1000))
            .. ARGV[4] .. string.format('%.0f', n) .. ARGV[5]
        end
        if isNew then redis.call('DEL', log) end
        local isTurn = seq % 16 == 0
        if isTurn then
          redis.call('XADD', log, 'MAXLEN', ARGV[8], seqText .. '-0', 'e', payload)
        else
          redis.call('XADD', log, seqText .. '-0', 'e', payload)
        end
        redis.call('HSET', head, 'seq', seqText, 'n', string.format('%.0f', n), 'date_ms', nowText)
        if isNew then
          redis.call('HSET', head, 'epoch', epoch)
          if doubt then redis.call('HSET', head, 'doubt', string.format('%.0f', doubt)) end
        end
        if isNew or isTurn or quiet > 60000 then redis.call('EXPIRE', log, ARGV[9]) end
        redis.call('XADD', KEYS[3], '*', 'e', payload)
        if once then
          redis.call('SET', once, table.concat({ARGV[11], epoch, seqText, nowText, ARGV[12]}, ' '), 'PX', ARGV[13])
        end
        redis.call('PUBLISH', ARGV[1], payload)
        return {0, seq, now, epoch, isDoubtful and 1 or 0, n}
        """#)

    /// Ends a list of entries where it has 8 MiB, so that no answer is too long to be taken in.
    private static func shorten(_ list: String) -> String {
        """
        local size = 0
        for i, entry in ipairs(\(list)) do
          for _, field in ipairs(entry[2]) do size = size + #field end
          if size > 8388608 and i > 1 then
            for j = #\(list), i, -1 do \(list)[j] = nil end
            break
          end
        end
        """
    }

    /// KEYS head, log. ARGV seq, limit. Answers `{}` for an unknown thread, else
    /// `{epoch, seq, id of the oldest event or nil, events}`, read at one time.
    package static let read = RedisScript(
        #"""
        local h = redis.call('HMGET', KEYS[1], 'epoch', 'seq')
        if not h[1] then return {} end
        local events = {}
        if ARGV[2] ~= '0' then events = redis.call('XRANGE', KEYS[2], ARGV[1] .. '-1', '+', 'COUNT', ARGV[2]) end
        \#(shorten("events"))
        local oldest = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)
        return {h[1], h[2], oldest[1] and oldest[1][1] or false, events}
        """#)

    /// KEYS head, log. ARGV epoch, seq, messages, date, milliseconds of doubt. Makes an unknown thread known.
    package static let seed = RedisScript(
        #"""
        if redis.call('HSETNX', KEYS[1], 'epoch', ARGV[1]) == 1 then
          local time = redis.call('TIME')
          redis.call('DEL', KEYS[2])
          redis.call('HSET', KEYS[1], 'seq', ARGV[2], 'n', ARGV[3], 'date_ms', ARGV[4],
            'doubt', string.format('%.0f', time[1] * 1000 + ARGV[5]))
        end
        return redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'n', 'date_ms')
        """#)

    /// KEYS head. ARGV seq. The store has given an event a higher number; no later one may be below it.
    package static let raise = RedisScript(
        #"""
        local seq = redis.call('HGET', KEYS[1], 'seq')
        if seq and tonumber(seq) < tonumber(ARGV[1]) then redis.call('HSET', KEYS[1], 'seq', ARGV[1]) end
        return 1
        """#)

    /// KEYS ingest, incarnation. ARGV incarnation if there is none, incarnation the reader knows, offset, limit.
    /// Answers `{incarnation, entries}`: those after the offset if the incarnation is known, else from the beginning.
    package static let ingest = RedisScript(
        #"""
        local incarnation = redis.call('GET', KEYS[2])
        if not incarnation then
          incarnation = ARGV[1]
          redis.call('SET', KEYS[2], incarnation)
        end
        local start = '-'
        if incarnation == ARGV[2] then start = '(' .. ARGV[3] end
        local entries = redis.call('XRANGE', KEYS[1], start, '+', 'COUNT', ARGV[4])
        \#(shorten("entries"))
        return {incarnation, entries}
        """#)

    /// KEYS ingest, incarnation. ARGV incarnation, first id to keep. Forgets what is stored, if it is this content.
    package static let trim = RedisScript(
        #"""
        if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
        return redis.call('XTRIM', KEYS[1], 'MINID', ARGV[2])
        """#)

    /// KEYS name. ARGV owner, milliseconds. Takes a name or holds it for longer; answers 0 if another has it.
    package static let holdName = RedisScript(
        #"""
        local owner = redis.call('GET', KEYS[1])
        if owner and owner ~= ARGV[1] then return 0 end
        redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
        return 1
        """#)

    /// KEYS name. ARGV owner. Gives a name back that is still the owner's.
    package static let releaseName = RedisScript(
        #"""
        if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
        return 0
        """#)
}
