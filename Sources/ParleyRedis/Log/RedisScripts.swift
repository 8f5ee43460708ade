/// Everything that runs inside Redis, for one set of settings.
package struct RedisScripts: Sendable {
    package let message: RedisScript
    package let otherEvent: RedisScript

    package init(_ settings: RedisSettings) {
        message = RedisScript(AppendScript(settings: settings, isMessage: true).source)
        otherEvent = RedisScript(AppendScript(settings: settings, isMessage: false).source)
    }

    /// All that a command connection loads.
    package var all: [RedisScript] {
        [
            message, otherEvent, Self.read, Self.seed, Self.raise, Self.ingest, Self.trim, Self.holdName,
            Self.releaseName, Self.revoke, Self.revoked, Self.take, Self.count, Self.presenceWrite,
            Self.presenceRead, Self.presenceRenew, Self.presenceLeases,
            Self.nodePut, Self.nodeList, Self.nodePost, Self.nodeTake,
        ]
    }

    /// KEYS head, log. ARGV seq, limit. Answers `{}` for an unknown thread, else
    /// `{head, id of the oldest event or nil, events}`, read at one time.
    package static let read = RedisScript(
        #"""
        local head = redis.call('GET', KEYS[1])
        if not head then return {} end
        local events = {}
        if ARGV[2] ~= '0' then events = redis.call('XRANGE', KEYS[2], ARGV[1] .. '-1', '+', 'COUNT', ARGV[2]) end
        \#(shorten("events"))
        local oldest = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)
        return {head, oldest[1] and oldest[1][1] or false, events}
        """#)

    /// KEYS head, log. ARGV epoch, seq, messages, date, milliseconds of doubt. Makes an unknown thread known.
    /// Answers the head.
    package static let seed = RedisScript(
        #"""
        local head = redis.call('GET', KEYS[1])
        if head then return head end
        local time = redis.call('TIME')
        head = struct.pack('>I8I8I8I8c8', ARGV[2], ARGV[3], ARGV[4], time[1] * 1000 + ARGV[5], ARGV[1])
        redis.call('DEL', KEYS[2])
        redis.call('SET', KEYS[1], head)
        return head
        """#)

    /// KEYS head. ARGV seq. The store has given an event a higher number; no later one may be below it.
    package static let raise = RedisScript(
        #"""
        local head = redis.call('GET', KEYS[1])
        if head and struct.unpack('>I8', head) < tonumber(ARGV[1]) then
          redis.call('SETRANGE', KEYS[1], 0, struct.pack('>I8', ARGV[1]))
        end
        return 1
        """#)

    /// KEYS ingest, incarnation. ARGV incarnation if there is none, incarnation the reader knows, offset, limit.
    /// Answers `{incarnation, entries, how many there are}`: those after the offset if the incarnation is known, else
    /// from the beginning.
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
        return {incarnation, entries, redis.call('XLEN', KEYS[1])}
        """#)

    /// KEYS ingest, incarnation. ARGV incarnation, first id to keep. Forgets what is stored, if it is this content.
    /// Answers how many entries there are now.
    package static let trim = RedisScript(
        #"""
        if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('XTRIM', KEYS[1], 'MINID', ARGV[2]) end
        return redis.call('XLEN', KEYS[1])
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

    /// KEYS entry. ARGV milliseconds. Notes a revocation for as long, or longer if it is noted for longer already.
    package static let revoke = RedisScript(
        #"""
        if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '1', 'PX', ARGV[1]) end
        return 1
        """#)

    /// KEYS entry, mark. ARGV id of the server's process. Answers whether the entry is there, and for how many
    /// milliseconds this process has had all entries.
    package static let revoked = RedisScript(
        #"""
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        local since
        local mark = redis.call('GET', KEYS[2])
        if mark then
          local server, began = string.match(mark, '^(%S*) (%d+)$')
          if server == ARGV[1] then since = tonumber(began) end
        end
        if not since then
          since = now
          redis.call('SET', KEYS[2], ARGV[1] .. ' ' .. string.format('%.0f', now))
        end
        return {redis.call('EXISTS', KEYS[1]), now - since}
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
}
