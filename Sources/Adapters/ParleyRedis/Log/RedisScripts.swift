import ParleyChannels
import ParleyModel
package import ParleyRedisClient

/// The scripts that run in Redis, for one set of settings.
package struct RedisScripts: Sendable {
    package let message: RedisScript
    /// The script for a message whose sender waits for it to be stored.
    package let awaitedMessage: RedisScript
    /// The same two scripts, for a message that refers to attachments.
    package let guardedMessage: RedisScript
    package let guardedAwaitedMessage: RedisScript
    package let otherEvent: RedisScript
    /// The script for a deletion: the database shows the text until the deletion is stored.
    package let deletion: RedisScript

    package init(_ settings: RedisSettings) {
        message = RedisScript(AppendScript(settings: settings, isMessage: true).source)
        awaitedMessage = RedisScript(AppendScript(settings: settings, isMessage: true, isAwaited: true).source)
        guardedMessage = RedisScript(AppendScript(settings: settings, isMessage: true, isGuarded: true).source)
        guardedAwaitedMessage = RedisScript(
            AppendScript(settings: settings, isMessage: true, isAwaited: true, isGuarded: true).source)
        otherEvent = RedisScript(AppendScript(settings: settings, isMessage: false).source)
        deletion = RedisScript(AppendScript(settings: settings, isMessage: false, isAwaited: true).source)
    }

    /// The script that appends a draft.
    func append(_ draft: EventDraft) -> RedisScript {
        switch draft.body {
        case .message(let message) where message.hasAttachments:
            draft.wantsStored ? guardedAwaitedMessage : guardedMessage
        case .message: draft.wantsStored ? awaitedMessage : self.message
        case .deleted: deletion
        case .edited, .reaction, .joined, .left, .renamed, .role, .visibility: otherEvent
        }
    }

    /// The scripts that every command connection loads.
    package var all: [RedisScript] {
        [
            message, awaitedMessage, guardedMessage, guardedAwaitedMessage, otherEvent, deletion, Self.claim, Self.read,
            Self.window, Self.redact, Self.forget,
            Self.seed, Self.check, Self.recheck, Self.settle, Self.evidence, Self.acknowledge, Self.advance,
            Self.endEpoch, Self.ingest, Self.trim,
            Self.holdName, Self.releaseName, Self.holdGuest,
            Self.releaseGuest, Self.take, Self.count,
            Self.presenceWrite, Self.presenceRead, Self.presenceRenew, Self.presenceLeases, Self.nodePut,
            Self.nodeList, Self.nodePost, Self.nodeTake,
        ]
    }

    /// Claims a `clientID` for one send, with several hosts; on a host chosen by its sender, regardless of the thread.
    ///
    /// KEYS: claim, mark. ARGV: digest, time of the `clientID` or 0, milliseconds to keep it. Replies -1 if another
    /// send has it, else the time since which this Redis has stored claims, in Unix milliseconds.
    ///
    /// A claim made with another key (named by its first four characters) is ignored.
    package static let claim = RedisScript(
        #"""
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        local first = redis.call('GET', KEYS[1])
        if first and first ~= ARGV[1] and string.sub(first, 1, 4) == string.sub(ARGV[1], 1, 4) then return -1 end
        local lead = math.max(0, math.min(ARGV[2] - now, \#(AppendScript.longestLead)))
        redis.call('SET', KEYS[1], ARGV[1], 'PX', string.format('%d', lead + ARGV[3]))
        local since = redis.call('GET', KEYS[2])
        if not since then
          since = string.format('%d', now)
          redis.call('SET', KEYS[2], since)
        end
        return tonumber(since)
        """#)

    /// Reads a thread's log in one step. KEYS: head, log, former epochs. ARGV: seq, limit. Replies `{}` for an unknown
    /// thread, else `{head, id of the oldest event or nil, events, former epochs or nil}`.
    package static let read = RedisScript(
        #"""
        local head = redis.call('GET', KEYS[1])
        if not head then return {} end
        local events = {}
        if ARGV[2] ~= '0' then events = redis.call('XRANGE', KEYS[2], ARGV[1] .. '-1', '+', 'COUNT', ARGV[2]) end
        \#(shorten("events"))
        local oldest = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)
        return {head, oldest[1] and oldest[1][1] or false, events, redis.call('GET', KEYS[3])}
        """#)

    /// Reads a thread's log from an id on. KEYS: log. ARGV: first id. Replies the entries.
    package static let window = RedisScript(
        #"""
        local entries = redis.call('XRANGE', KEYS[1], ARGV[1], '+', 'COUNT', 512)
        \#(shorten("entries"))
        return entries
        """#)

    /// Replaces the payloads that have not changed since they were read. KEYS: log. ARGV, for each entry: id, SHA-1 of
    /// the payload as read, new payload. Replies the number of payloads replaced.
    ///
    /// The log is rewritten: an entry of a stream cannot be changed, and the bytes of a deleted one remain in memory
    /// for as long as its neighbours.
    package static let redact = RedisScript(
        #"""
        local log, new, count = KEYS[1], {}, 0
        for i = 1, #ARGV, 3 do new[ARGV[i]] = i end
        local entries = redis.call('XRANGE', log, '-', '+')
        for _, entry in ipairs(entries) do
          local i, fields = new[entry[1]], entry[2]
          if i and #fields == 2 and redis.sha1hex(fields[2]) == ARGV[i + 1] then
            fields[2] = ARGV[i + 2]
            count = count + 1
          end
        end
        if count == 0 then return 0 end
        local life = redis.call('PTTL', log)
        redis.call('DEL', log)
        for _, entry in ipairs(entries) do redis.call('XADD', log, entry[1], unpack(entry[2])) end
        if life > 0 then redis.call('PEXPIRE', log, life) end
        return count
        """#)

    /// Removes a deleted thread. KEYS: head, log, former epochs. ARGV: prefix of the keys of deleted epochs,
    /// milliseconds. The epoch is recorded for as long as a send of it is remembered, so that the names of its sends
    /// are free.
    package static let forget = RedisScript(
        #"""
        local head = redis.call('GET', KEYS[1])
        if head then redis.call('SET', ARGV[1] .. string.sub(head, 33, 40), '', 'PX', ARGV[2]) end
        redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
        return 1
        """#)

    /// Seeds an unknown thread. KEYS: head, log. ARGV: epoch, seq, messages, date, milliseconds of doubt, mark. Replies
    /// the head.
    package static let seed = RedisScript(
        #"""
        local head = redis.call('GET', KEYS[1])
        if head then return head end
        local time = redis.call('TIME')
        head = struct.pack('>I8I8I8I8c8c8', ARGV[2], ARGV[3], ARGV[4], time[1] * 1000 + ARGV[5], ARGV[1], ARGV[6])
        redis.call('DEL', KEYS[2])
        redis.call('SET', KEYS[1], head)
        return head
        """#)

    /// Reads ingest streams. KEYS: for each, ingest and incarnation. ARGV: new incarnation for streams without one,
    /// limit of all entries, then for each the incarnation known to the reader and the offset. Replies for each
    /// `{incarnation, entries, total number of entries, 1 if some may be left}`: the entries after the offset if the
    /// incarnation is the known one, else from the beginning; or the error of its keys, which stops no other stream.
    /// The limit is shared evenly; longer streams get the unused shares of short ones. No further entry is taken once
    /// the entries have 8 MiB together; one that `RESPLimits` would refuse is replaced by a field `oversized`. Deletes
    /// the lists of `IngestWaker`; their keys are derived from the keys of the streams.
    package static let ingest = RedisScript(
        #"""
        local replies, order = {}, {}
        for stream = 1, #KEYS, 2 do
          redis.call('DEL', KEYS[stream] .. '\#(ChannelNames.awaitedSuffix)')
          local place = #replies + 1
          local incarnation = redis.pcall('GET', KEYS[stream + 1])
          local length = redis.pcall('XLEN', KEYS[stream])
          local failed = type(incarnation) == 'table' and incarnation or type(length) == 'table' and length
          if failed then
            replies[place] = failed.err
          else
            if not incarnation then
              incarnation = ARGV[1]
              redis.call('SET', KEYS[stream + 1], incarnation)
            end
            replies[place] = {incarnation, {}, length, 0}
            if length > 0 then order[#order + 1] = place end
          end
        end
        table.sort(order, function(a, b)
          if replies[a][3] == replies[b][3] then return a < b end
          return replies[a][3] < replies[b][3]
        end)
        local left, size = tonumber(ARGV[2]), 0
        for turn, place in ipairs(order) do
          local stream, start = 2 * place - 1, '-'
          if replies[place][1] == ARGV[stream + 2] then start = '(' .. ARGV[stream + 3] end
          local share = math.max(1, math.floor(left / (#order - turn + 1)))
          local entries, isCut = {}, size > \#(replyBytes)
          -- In parts, so that the script holds little more than it replies.
          while not isCut and #entries < share do
            local wanted = math.min(16, share - #entries)
            local part = redis.call('XRANGE', KEYS[stream], start, '+', 'COUNT', wanted)
            for _, entry in ipairs(part) do
              local bytes = 64 * #entry[2]
              for _, field in ipairs(entry[2]) do bytes = bytes + #field end
              if bytes > \#(entryBytes) then
                entry[2] = {'oversized', string.format('%d bytes', bytes)}
                bytes = 64
              end
              -- Asked before the entry is counted, so that no stream waits for ever behind others.
              isCut = size > \#(replyBytes)
              if isCut then break end
              size = size + bytes
              entries[#entries + 1] = entry
            end
            if #part < wanted then break end
            start = '(' .. part[#part][1]
          end
          left = left - #entries
          replies[place][2] = entries
          if isCut or #entries == share then replies[place][4] = 1 end
        end
        return replies
        """#)

    /// Removes stored entries of streams whose incarnation matches, and records their position, by which `evidence`
    /// finds whether Redis has lost something since. KEYS: for each, ingest and incarnation. ARGV: for each,
    /// incarnation and first id to keep. Replies for each the number of entries left.
    package static let trim = RedisScript(
        #"""
        local left = {}
        for stream = 1, #KEYS, 2 do
          if redis.call('GET', KEYS[stream + 1]) == ARGV[stream] then
            redis.call('XTRIM', KEYS[stream], 'MINID', ARGV[stream + 1])
            redis.call('SET', KEYS[stream] .. '\#(ChannelNames.storedSuffix)', ARGV[stream + 1])
          end
          left[#left + 1] = redis.call('XLEN', KEYS[stream])
        end
        return left
        """#)

    /// Claims or renews a name. KEYS: name. ARGV: owner, milliseconds. Replies 0 if another owner has it.
    package static let holdName = RedisScript(
        #"""
        local owner = redis.call('GET', KEYS[1])
        if owner and owner ~= ARGV[1] then return 0 end
        redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
        return 1
        """#)

    /// Releases a name if the owner still has it. KEYS: name. ARGV: owner.
    package static let releaseName = RedisScript(
        #"""
        if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
        return 0
        """#)

    /// Claims or renews a guest's name by one of its looks. KEYS: look. ARGV: owner, the name in lower case or nothing,
    /// milliseconds. Two names in lower case differ unless they are equal; any other two of one look are treated as the
    /// same. Replies 0 if another owner has such a name, or too many have one.
    package static let holdGuest = RedisScript(
        #"""
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
        local claims = redis.call('ZRANGE', KEYS[1], 0, 99)
        for _, claim in ipairs(claims) do
          local owner, plain = string.match(claim, '^(%S+) (.*)$')
          if owner ~= ARGV[1] and (plain == '' or ARGV[2] == '' or plain == ARGV[2]) then return 0 end
        end
        local own = ARGV[1] .. ' ' .. ARGV[2]
        if #claims > 99 and not redis.call('ZSCORE', KEYS[1], own) then return 0 end
        redis.call('ZADD', KEYS[1], now + ARGV[3], own)
        redis.call('PEXPIRE', KEYS[1], ARGV[3])
        return 1
        """#)

    /// Releases a guest's name by one of its looks. KEYS: look. ARGV: owner, the name in lower case or nothing.
    package static let releaseGuest = RedisScript(
        #"""
        return redis.call('ZREM', KEYS[1], ARGV[1] .. ' ' .. ARGV[2])
        """#)

    /// The size of the entries of a reply, in bytes, above which it ends: 8 MiB. Even with one entry of `entryBytes` beyond it,
    /// a reply is far smaller than `RESPLimits.replyBytes`.
    private static let replyBytes = 8_388_608

    /// The maximum size of an entry that the reader takes, in bytes; `RedisLog` appends nothing larger.
    private static let entryBytes = RESPLimits().bulkBytes

    /// Truncates a list of entries at `replyBytes`.
    static func shorten(_ list: String) -> String {
        """
        local size = 0
        for i, entry in ipairs(\(list)) do
          for _, field in ipairs(entry[2]) do size = size + #field end
          if size > \(replyBytes) and i > 1 then
            for j = #\(list), i, -1 do \(list)[j] = nil end
            break
          end
        end
        """
    }
}
