import ParleyChannels
import ParleyModel

/// The script that appends an event to a log; the only way to do so. It is atomic: Redis runs it without interruption,
/// and an error can occur only before its first write.
///
/// KEYS: head, log, ingest and, for a send with a `clientID` or an outbox event, once.
///
/// ARGV:
/// - 1: the channel to publish to.
/// - 2: the epoch that the node's earlier appends rely on, if any, then the mark of the incarnation of Redis.
/// - 3: the seq that the node has seen in that epoch, or in the one in 7.
/// - 4: the payload before the position.
/// - 5: digest and id of the message (`SendDigest`); empty without once, unless it refers to attachments.
/// - 6, with once: the time of the `clientID` by which it must prove that it is new, 0 if it has none; negative if no
///   proof is needed since the send is unknown to the store.
/// - 7, if needed: the epoch that the node has seen, or empty.
/// - 8–12, after a store query: the seed, as epoch, seq, messages, date and milliseconds of doubt.
///
/// Replies:
/// - The new head (`PackedHead`) if the event is accepted, followed by the clock in 8 bytes if the date is ahead of it.
/// - `{1, first}`: sent before, `first` being the head of that time, digest and id.
/// - `{2, first}`: the name was used with another digest.
/// - `{3}`: the thread is unknown.
/// - `{4}`: the thread has another epoch.
/// - `{5}`: the store must be queried for the send.
/// - `{6}`: the thread is behind what the node has seen; a seed is needed too.
/// - `{7}`: the message was withdrawn (`SendMemory.withdraw`); only for one that refers to attachments.
/// - `{8}`: the thread was not checked in this incarnation of Redis (`ThreadChecks`).
///
/// A `clientID` unknown to Redis is new if its time is not ahead of the clock, is younger than half of the time for
/// which Redis remembers sends, and is not before the end of doubt of its thread: an earlier send under it would be
/// remembered. A `clientID` with a time ahead of the clock is remembered for as long after its own time.
///
/// An idempotency entry of a deleted thread is ignored: its epoch is among those recorded by `RedisScripts.forget`.
/// Only repeats pay for that lookup.
///
/// A seed begins a new epoch. It clears the log, since the entries left by an evicted head would refuse lower ids. The
/// log is written first, since only that write can fail.
///
/// The epoch and the mark of the head are handled as one string, `term`, so that one comparison covers both.
///
/// The script runs once for each message of the cluster, so every microsecond counts. Settings are part of its text,
/// since arguments cost time; the head is one packed string; the position comes last in the payload, which is thus
/// concatenated once; numbers are formatted by `%d`, which is faster than Lua's conversion; the log is trimmed and its
/// expiry renewed only on every 16th event. Benchmarks/append-script measures it.
struct AppendScript {
    let settings: RedisSettings
    let isMessage: Bool
    /// Whether a sender waits for the event to be stored, so that `IngestWaker` wakes the persister. The key of its
    /// list is derived from the key of the ingest stream.
    var isAwaited = false
    /// Whether the message may have been withdrawn; only messages with attachments are withdrawn.
    var isGuarded = false

    var source: String {
        #"""
        local call, log, once = redis.call, KEYS[2], KEYS[4]
        local found = call('MGET', KEYS[1], once or log)
        local head, first = found[1], once and found[2]
        if first\#(isOfLivingThread) then
          return {string.sub(first, 49, 80) == string.sub(ARGV[5], 1, 32) and 1 or 2, first}
        end\#(refusesWithdrawn)
        local time = call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        local believed, seq, n, last, doubt, term = ARGV[2], 0, 0, 0, 0
        if head then seq, n, last, doubt, term = struct.unpack('>I8I8I8I8c16', head) end
        if head and believed ~= term then
          if string.sub(believed, -8) ~= string.sub(term, 9) then return {8} end
          if #believed > 8 then return {4} end
        end
        local isBehind = head and seq < tonumber(ARGV[3])
          and string.sub(term, 1, 8) == (ARGV[7] or string.sub(believed, 1, 8))
        local isNew = isBehind or not head
        if isNew then
          if not ARGV[8] then return {isBehind and 6 or 3} end
          term = ARGV[8] .. string.sub(believed, -8)
          seq = math.max(seq, tonumber(ARGV[9]))
          n = math.max(n, tonumber(ARGV[10]))
          last = math.max(last, tonumber(ARGV[11]))
          doubt = seq > 0 and now + ARGV[12] or now
        end
        local made = once and tonumber(ARGV[6])
        if made and made >= 0 and (made > now or made < doubt or made < now - \#(provenMilliseconds)) then return {5} end
        local quiet = now - last
        if quiet < 0 then now = last end
        seq = seq + 1
        n = n + \#(isMessage ? 1 : 0)
        head = struct.pack('>I8I8I8I8c16', seq, n, now, doubt, term)
        local payload = \#(payload)
        local id, isTurn = string.format('%d-0', seq), seq % 16 == 0
        if isNew then call('DEL', log) end
        if isTurn then
          call('XADD', log, 'MAXLEN', '~', '\#(settings.log.windowEvents)', id, 'e', payload)
        else
          call('XADD', log, id, 'e', payload)
        end
        if isNew or isTurn or quiet > 60000 then call('EXPIRE', log, '\#(expiry)') end
        call('SET', KEYS[1], head)
        call('XADD', KEYS[3], '*', 'e', payload)
        if once then
          local life = '\#(onceMilliseconds)'
          if -made > now then life = math.min(-made - now, \#(Self.longestLead)) + life end
          call('PSETEX', once, life, head .. ARGV[5])
        end
        call('PUBLISH', ARGV[1], payload)\#(wakesPersister)\#(marksForDjango)
        if quiet < 0 then return head .. struct.pack('>I8', now + quiet) end
        return head
        """#
    }

    /// Checks that the thread of a once entry is not deleted. Messages only: the outbox sends nothing about a deleted
    /// thread, and a late outbox event must find its receipt.
    private var isOfLivingThread: String {
        guard isMessage else { return "" }
        let names = ChannelNames(prefix: settings.channels.prefix, ownPrefix: settings.ownPrefix)
        return " and call('EXISTS', '\(names.goneEpoch)' .. string.sub(first, 33, 40)) == 0"
    }

    /// A repeat already has its reply: its own message is not meant to be appended.
    private var refusesWithdrawn: String {
        guard isGuarded else { return "" }
        return """

            if call('EXISTS', KEYS[3] .. '\(ChannelNames.withdrawnInfix)' .. string.sub(ARGV[5], 33)) == 1 then
              return {7}
            end
            """
    }

    /// The list beside the ingest stream has one element at most. It only saves time, so its errors are ignored.
    private var wakesPersister: String {
        guard isAwaited else { return "" }
        return """

            local awaited = KEYS[3] .. '\(ChannelNames.awaitedSuffix)'
            if redis.pcall('EXISTS', awaited) == 0 then redis.pcall('LPUSH', awaited, '1') end
            """
    }

    /// With Django's core layer, any of the nodes sends a message to Django later; see `QueueSender`. This only
    /// concerns Django, so its errors are ignored.
    private var marksForDjango: String {
        guard isMessage, settings.channels.core != nil else { return "" }
        let names = ChannelNames(prefix: settings.channels.prefix, ownPrefix: settings.ownPrefix)
        // The key of a head is the same up to the thread, for all partitions.
        let start = names.head(of: ThreadID(trusted: "t")).utf8.count
        return """

            local thread = string.sub(KEYS[1], \(start))
            if redis.pcall('ZADD', '\(names.queueDue)', 'NX', time[1] .. '000', thread) == 1 then
              redis.pcall('HSET', '\(names.queueFrom)', thread, string.format('%d', seq))
            end
            """
    }

    /// The expiry of the log, in seconds. It is renewed on every 16th event, or on the first one after a minute, hence
    /// the margin.
    private var expiry: Int { settings.log.windowSeconds + 16 * 60 }

    /// The maximum age of a `clientID` that proves by its time that it is new, in milliseconds: half of the time for
    /// which sends are remembered, as a margin for differing clocks.
    private var provenMilliseconds: Int64 { settings.log.onceMilliseconds / 2 }

    /// The maximum lead of a `clientID` over the clock with which it is remembered until its own time, in milliseconds:
    /// 30 days.
    static var longestLead: Int64 { 30 * 24 * 60 * 60 * 1000 }

    /// The lifetime of an idempotency entry, in milliseconds. Only messages have a `clientID`; other events are
    /// repeated by the outbox until the database has them.
    private var onceMilliseconds: Int64 {
        isMessage ? settings.log.onceMilliseconds : max(settings.log.onceMilliseconds, 24 * 60 * 60 * 1000)
    }

    /// The expression that joins the position to the payload.
    private var payload: String {
        if !settings.channels.symmetricEncryptionKeys.isEmpty {
            // The format that `PlacedToken` reads.
            return "string.format('%.8s %d %d %d ', term, seq, now, n) .. ARGV[4]"
        }
        switch settings.channels.serializer {
        case .msgpack:
            return #"""
                ARGV[4] .. struct.pack('>c7c8c5I8c9I8c6I8c3I8', '\165epoch\168', term, '\163seq\207', seq,
                  '\167date_ms\207', now, '\164date\207', math.floor(now / 1000), '\161n\207', n)
                """#
        case .json:
            return #"""
                ARGV[4] .. string.format('"epoch": "%.8s", "seq": %d, "date_ms": %d, "date": %d}, "n": %d}',
                  term, seq, now, math.floor(now / 1000), n)
                """#
        }
    }
}
