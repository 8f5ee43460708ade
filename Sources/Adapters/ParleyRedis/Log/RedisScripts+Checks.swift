import ParleyChannels
package import ParleyRedisClient

/// The scripts by which a new incarnation of Redis is checked against the store; see `ThreadChecks`.
extension RedisScripts {
    /// Checks threads. KEYS: for each, head, log, former epochs. ARGV: mark, mark for readers, the finding about the
    /// host (`kept`, `lost`, or `read` for a lost one whose thread is only read), milliseconds of doubt; then for each
    /// thread a new epoch, the end of what is stored (epoch, seq, messages, date; zeros if unknown) and the position
    /// that the node has seen (epoch, seq). Replies for each its head, or nil for an unknown thread.
    ///
    /// A thread that is behind the stored or the seen position begins a new epoch above both. So does any thread of a
    /// host that has lost events, before it gets its next event: it may have lost events that were neither stored nor
    /// seen. A seen epoch that is not the thread's, nor one of its former epochs, began after the state that Redis fell
    /// back to; the thread's epoch has ended then, and must not go on. The log is kept if nothing is missing before the
    /// new epoch; otherwise the store has the earlier events.
    package static let check = RedisScript(
        #"""
        local mark, readMark, found = ARGV[1], ARGV[2], ARGV[3]
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        local function isFormer(key, epoch)
          local former = redis.call('GET', key) or ''
          for at = 1, #former, 16 do
            if string.sub(former, at, at + 7) == epoch then return true end
          end
          return false
        end
        local heads = {}
        for i = 1, #KEYS, 3 do
          local head = redis.call('GET', KEYS[i])
          if head then
            local a = 4 + (i - 1) / 3 * 7
            local seq, n, last, doubt, epoch, headMark = struct.unpack('>I8I8I8I8c8c8', head)
            if headMark ~= mark then
              local left = math.max(seq, tonumber(ARGV[a + 3]))
              local start, seen = left, ARGV[a + 6]
              local hasEnded = seen ~= '' and seen ~= epoch and not isFormer(KEYS[i + 2], seen)
              if seen == epoch or hasEnded then start = math.max(left, tonumber(ARGV[a + 7])) end
              if start > seq or hasEnded or found == 'lost' then
                if left == seq or ARGV[a + 2] == epoch then
                  \#(noteFormer("KEYS[i + 2]", epoch: "epoch", through: "left"))
                end
                if start > seq then redis.call('DEL', KEYS[i + 1]) end
                n = math.max(n, tonumber(ARGV[a + 4]))
                last = math.max(last, tonumber(ARGV[a + 5]))
                head = struct.pack('>I8I8I8I8c8c8', start, n, last, now + ARGV[4], ARGV[a + 1], mark)
              else
                head = string.sub(head, 1, 40) .. (found == 'read' and readMark or mark)
              end
              redis.call('SET', KEYS[i], head)
            end
          end
          heads[#heads + 1] = head
        end
        return heads
        """#)

    /// Has threads checked again if Redis is behind what is stored. KEYS: heads. ARGV: the mark of a thread that was
    /// never checked; then for each the last seq that is stored.
    package static let recheck = RedisScript(
        #"""
        for i, key in ipairs(KEYS) do
          local head = redis.call('GET', key)
          if head and struct.unpack('>I8', head) < tonumber(ARGV[i + 1]) then
            redis.call('SET', key, string.sub(head, 1, 40) .. ARGV[1])
          end
        end
        return 1
        """#)

    /// Ends an epoch after the store had to move events of it. KEYS: head, former epochs, log. ARGV: the epoch, its
    /// successor, the amount by which the store has raised the seqs, the last valid seq of the epoch, milliseconds of
    /// doubt. Replies 1 if the thread was in this epoch.
    ///
    /// Events of the epoch that are not stored yet are moved by the same amount at most, so the successor begins above
    /// them.
    package static let endEpoch = RedisScript(
        #"""
        local head = redis.call('GET', KEYS[1])
        if not head or string.sub(head, 33, 40) ~= ARGV[1] then return 0 end
        local time = redis.call('TIME')
        local seq, n, last = struct.unpack('>I8I8I8', head)
        \#(noteFormer("KEYS[2]", epoch: "ARGV[1]", through: "tonumber(ARGV[4])"))
        redis.call('SET', KEYS[1], struct.pack('>I8I8I8I8c8c8', seq + ARGV[3], n, last,
          time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[5], ARGV[2], string.sub(head, 41, 48)))
        redis.call('DEL', KEYS[3])
        return 1
        """#)

    /// Records the finding about a host in an incarnation, unless another node already has. KEYS: record, `claimMark`,
    /// progress. ARGV: mark, `kept` or `lost` according to its streams, the progress that is noted in the store; or the
    /// mark alone, to read. Replies the record, or nil.
    ///
    /// A host whose progress is below the noted value has lost something, too. A host that has lost something does not
    /// vouch for earlier claims.
    package static let settle = RedisScript(
        #"""
        local record = redis.call('GET', KEYS[1])
        if record and string.sub(record, 1, 8) == ARGV[1] then return string.sub(record, 10) end
        if not ARGV[2] then return false end
        local found = ARGV[2]
        if tonumber(redis.call('GET', KEYS[3]) or 0) < tonumber(ARGV[3]) then
          found = 'lost'
          redis.call('SET', KEYS[3], ARGV[3])
        end
        redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. found)
        if found == 'lost' then
          local time = redis.call('TIME')
          redis.call('SET', KEYS[2], string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000)))
        end
        return found
        """#)

    /// Raises the progress of a host that has a record of whether it has lost anything. KEYS: record, progress. ARGV:
    /// mark. Replies the progress, or nil without such a record.
    package static let advance = RedisScript(
        #"""
        local record = redis.call('GET', KEYS[1])
        if not record or string.sub(record, 1, 8) ~= ARGV[1] then return false end
        return redis.call('INCR', KEYS[2])
        """#)

    /// Reads the evidence of whether ingest streams have lost entries that are stored. KEYS: the streams. ARGV: for
    /// each, the id of the last stored entry. Replies for each `{first id not known to be stored or nil, 1 if the entry
    /// is in the stream}`.
    package static let evidence = RedisScript(
        #"""
        local replies = {}
        for i, stream in ipairs(KEYS) do
          replies[i] = {
            redis.call('GET', stream .. '\#(ChannelNames.storedSuffix)'),
            #redis.call('XRANGE', stream, ARGV[i], ARGV[i])}
        end
        return replies
        """#)

    /// Records the stored position of streams that have lost their record, so that the next incarnation does not find
    /// the same loss again. KEYS: the streams. ARGV: for each, the first id behind the last stored entry.
    package static let acknowledge = RedisScript(
        #"""
        for i, stream in ipairs(KEYS) do redis.call('SET', stream .. '\#(ChannelNames.storedSuffix)', ARGV[i]) end
        return 1
        """#)

    /// Adds an epoch to the former epochs; the newest eight are kept, for 30 days. See `FormerEpochs`.
    private static func noteFormer(_ key: String, epoch: String, through: String) -> String {
        """
        redis.call('SET', \(key), struct.pack('>c8I8', \(epoch), \(through))
          .. string.sub(redis.call('GET', \(key)) or '', 1, 112), 'EX', 2592000)
        """
    }
}
