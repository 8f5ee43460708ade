/// The one way into the log. Everything or nothing: Redis runs it alone, and refuses it before its first write.
///
/// KEYS head, log, ingest, and, for a send with a `clientID` or an event of the outbox, once.
/// ARGV 1 channel · 2 epoch that the node's earlier appends count on, or empty · 3 seq that the node has seen in it, or
/// in 7 · 4 the payload up to its place · 5 digest and id of the message (`SendDigest`) ·
/// with a once: 6 the time of the `clientID` by which it is to prove that it is new, 0 if it has none; negative if it need
/// not, since the store does not know the send · if need be: 7 epoch that the node has seen, or empty ·
/// 8–12 seed: epoch, seq, messages, date, milliseconds of doubt, once the store was asked.
///
/// Answers the new head (`PackedHead`) if it has accepted the event, and behind it the clock in 8 bytes if the date is
/// ahead of that · `{1, first}` it was sent before, `first` being
/// the head of that time, digest and id · `{2, first}` the name was used, with another digest · `{3}` the thread is
/// unknown · `{4}` another epoch · `{5}` the store must be asked for the send · `{6}` the thread is behind what the node
/// has seen, and needs a seed too.
///
/// A `clientID` that Redis does not remember is new if its time is not ahead of the clock, younger than half of the
/// time for which Redis remembers, and not before the end of doubt of its thread: what was sent under it would be
/// remembered. One that is ahead is remembered until as long after its own time.
///
/// What a once tells of a thread that was deleted counts for nothing: the epoch is among those that `RedisScripts.forget`
/// has noted. That is asked of repeats only.
///
/// A seed begins a new epoch. It clears the log: what an evicted head has left behind would refuse lower ids. The log is
/// the first that is written, since it alone could refuse.
///
/// Every microsecond here is paid once for each message of the whole cluster, so: settings are part of the text, since
/// each argument costs; the head is one packed string; the place comes last in the payload, so that it is put together
/// once; numbers are written by `%d`, which is faster than Lua's own way; the log is trimmed and its life prolonged at
/// every 16th event only. Benchmarks/append-script measures it.
struct AppendScript {
    let settings: RedisSettings
    let isMessage: Bool

    var source: String {
        #"""
        local call, log, once = redis.call, KEYS[2], KEYS[4]
        local found = call('MGET', KEYS[1], once or log)
        local head, first = found[1], once and found[2]
        if first\#(isOfLivingThread) then
          return {string.sub(first, 41, 72) == string.sub(ARGV[5], 1, 32) and 1 or 2, first}
        end
        local time = call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        local seq, n, last, doubt, epoch = 0, 0, 0, 0
        if head then seq, n, last, doubt, epoch = struct.unpack('>I8I8I8I8c8', head) end
        local believed = ARGV[2]
        if head and believed ~= '' and believed ~= epoch then return {4} end
        local isBehind = epoch == (ARGV[7] or believed) and seq < tonumber(ARGV[3])
        local isNew = isBehind or not head
        if isNew then
          if not ARGV[8] then return {isBehind and 6 or 3} end
          epoch = ARGV[8]
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
        head = struct.pack('>I8I8I8I8c8', seq, n, now, doubt, epoch)
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
        call('PUBLISH', ARGV[1], payload)
        if quiet < 0 then return head .. struct.pack('>I8', now + quiet) end
        return head
        """#
    }

    /// Only messages: the outbox tells nothing of a thread that was deleted, and what comes late all the same is to find
    /// its receipt.
    private var isOfLivingThread: String {
        guard isMessage else { return "" }
        let names = ChannelNames(prefix: settings.channels.prefix, ownPrefix: settings.ownPrefix)
        return " and call('EXISTS', '\(names.goneEpoch)' .. string.sub(first, 33, 40)) == 0"
    }

    /// The log's life is prolonged at every 16th event or at the first after a minute; so this much later it ends.
    private var expiry: Int { settings.log.windowSeconds + 16 * 60 }

    /// How old a `clientID` may be that proves by its time that it is new, in milliseconds: half of the time for which
    /// sends are remembered, so that clocks that differ do no harm.
    private var provenMilliseconds: Int64 { settings.log.onceMilliseconds / 2 }

    /// How far ahead of the clock a `clientID` may be to be remembered until its time has come, in milliseconds: 30 days.
    static var longestLead: Int64 { 30 * 24 * 60 * 60 * 1000 }

    /// Only messages have a `clientID`; of other events it is the outbox that may send them again, for as long as the
    /// database does not have them.
    private var onceMilliseconds: Int64 {
        isMessage ? settings.log.onceMilliseconds : max(settings.log.onceMilliseconds, 24 * 60 * 60 * 1000)
    }

    /// How the place is joined to the rest.
    private var payload: String {
        if !settings.channels.symmetricEncryptionKeys.isEmpty {
            // As `PlacedToken` reads it.
            return "string.format('%s %d %d %d ', epoch, seq, now, n) .. ARGV[4]"
        }
        switch settings.channels.serializer {
        case .msgpack:
            return #"""
                ARGV[4] .. struct.pack('>c7c8c5I8c9I8c6I8c3I8', '\165epoch\168', epoch, '\163seq\207', seq,
                  '\167date_ms\207', now, '\164date\207', math.floor(now / 1000), '\161n\207', n)
                """#
        case .json:
            return #"""
                ARGV[4] .. string.format('"epoch": "%s", "seq": %d, "date_ms": %d, "date": %d}, "n": %d}',
                  epoch, seq, now, math.floor(now / 1000), n)
                """#
        }
    }
}
