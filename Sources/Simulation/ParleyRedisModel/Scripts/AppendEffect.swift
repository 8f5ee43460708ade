import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyRedisClient

/// The effect of `AppendScript`, in the order of its steps.
struct AppendEffect: Sendable {
    private let settings: RedisSettings
    private let names: ChannelNames
    private let isMessage: Bool
    private let isAwaited: Bool
    private let isGuarded: Bool
    /// Where the thread begins in the key of a head.
    private let threadStart: Int

    init(_ settings: RedisSettings, isMessage: Bool, isAwaited: Bool, isGuarded: Bool) {
        self.settings = settings
        self.isMessage = isMessage
        self.isAwaited = isAwaited
        self.isGuarded = isGuarded
        names = ChannelNames(prefix: settings.channels.prefix, ownPrefix: settings.ownPrefix)
        threadStart = names.head(of: ThreadID(trusted: "t")).utf8.count
    }

    func run(_ engine: inout Engine, _ input: ScriptInput) throws(CommandError) -> RESPValue {
        let once = input.keys.count > 3 ? try input.key(4) : nil
        let other = if let once { once } else { try input.key(2) }
        let found = try engine.call("MGET", input.key(1), other).elements ?? []
        let first = once == nil ? nil : found.last?.bytes
        if let reply = try refusal(&engine, input, first) { return reply }
        let now = engine.milliseconds
        var step = try position(found.first?.bytes, input, now)
        if let reply = step.reply { return reply }
        if once != nil {
            let needsQuery = try needsQuery(input, step.head, now)
            if needsQuery { return .array([.integer(5)]) }
        }
        // Negative if the thread's last date is ahead of the clock.
        let quiet = now - step.head.date
        step.head.date = max(now, step.head.date)
        step.head.seq += 1
        step.head.messages += isMessage ? 1 : 0
        let payload = try payload(step.head, input)
        try writeLog(&engine, input, step, payload, quiet: quiet)
        try engine.call("SET", input.key(1), step.head.bytes)
        try engine.call("XADD", input.key(3), "*", "e", payload)
        if let once { try remember(&engine, input, once, step.head) }
        try engine.call("PUBLISH", input.argument(1), payload)
        if isAwaited { wakePersister(&engine, try input.key(3)) }
        if isMessage, settings.channels.core != nil { markForDjango(&engine, try input.key(1), step.head.seq) }
        return .bulk(step.head.bytes + (quiet < 0 ? (step.head.date + quiet).bigEndianBytes : []))
    }

    // MARK: Repeats

    /// The reply to a repeat, a conflict or a withdrawn message.
    private func refusal(
        _ engine: inout Engine, _ input: ScriptInput, _ first: Bytes?
    ) throws(CommandError) -> RESPValue? {
        if let first {
            let gone = names.goneEpoch.redisBytes + first.sub(33, 40)
            let isLiving = isMessage ? try engine.call("EXISTS", gone) == .integer(0) : true
            if isLiving {
                let isSame = try first.sub(49, 80) == input.argument(5).sub(1, 32)
                return .array([.integer(isSame ? 1 : 2), .bulk(first)])
            }
        }
        guard isGuarded else { return nil }
        let withdrawn = try input.key(3) + ChannelNames.withdrawnInfix.redisBytes + input.argument(5).sub(33)
        return try engine.call("EXISTS", withdrawn) == .integer(1) ? .array([.integer(7)]) : nil
    }

    private func needsQuery(
        _ input: ScriptInput, _ head: LuaHead, _ now: Int64
    ) throws(CommandError) -> Bool {
        let made = try input.number(6)
        return made >= 0 && (made > now || made < head.doubt || made < now - settings.log.onceMilliseconds / 2)
    }

    private func remember(
        _ engine: inout Engine, _ input: ScriptInput, _ once: Bytes, _ head: LuaHead
    ) throws(CommandError) {
        let day: Int64 = 24 * 60 * 60 * 1000
        var life = isMessage ? settings.log.onceMilliseconds : max(settings.log.onceMilliseconds, day)
        let lead = -(try input.number(6)) - head.date
        if lead > 0 { life += min(lead, 30 * day) }
        try engine.call("PSETEX", once, life, head.bytes + input.argument(5))
    }

    // MARK: Position

    private struct Step {
        var head: LuaHead
        var isNew = false
        /// Set if the event is not appended.
        var reply: RESPValue?
    }

    /// The head before this event.
    private func position(_ stored: Bytes?, _ input: ScriptInput, _ now: Int64) throws(CommandError) -> Step {
        let believed = try input.argument(2)
        var step = Step(head: LuaHead(seq: 0, messages: 0, date: 0, doubt: 0, term: []))
        if let stored {
            step.head = try LuaHead(stored)
            if believed != step.head.term {
                if believed.sub(-8) != step.head.mark { step.reply = .array([.integer(8)]) }
                if step.reply == nil, believed.count > 8 { step.reply = .array([.integer(4)]) }
                if step.reply != nil { return step }
            }
        }
        let epoch = input.optional(7) ?? believed.sub(1, 8)
        let seen = try input.number(3)
        let isBehind = stored != nil && step.head.seq < seen && step.head.epoch == epoch
        guard isBehind || stored == nil else { return step }
        guard let seed = input.optional(8) else {
            step.reply = .array([.integer(isBehind ? 6 : 3)])
            return step
        }
        step.isNew = true
        step.head.term = seed + believed.sub(-8)
        step.head.seq = max(step.head.seq, try input.number(9))
        step.head.messages = max(step.head.messages, try input.number(10))
        step.head.date = max(step.head.date, try input.number(11))
        step.head.doubt = step.head.seq > 0 ? now + (try input.number(12)) : now
        return step
    }

    /// The payload with the position.
    private func payload(_ head: LuaHead, _ input: ScriptInput) throws(CommandError) -> Bytes {
        let start = try input.argument(4)
        let (epoch, seconds) = (head.epoch.text, head.date / 1000)
        if !settings.channels.symmetricEncryptionKeys.isEmpty {
            return "\(epoch) \(head.seq) \(head.date) \(head.messages) ".redisBytes + start
        }
        switch settings.channels.serializer {
        case .json:
            let position = "\"epoch\": \"\(epoch)\", \"seq\": \(head.seq), \"date_ms\": \(head.date), "
            return start + (position + "\"date\": \(seconds)}, \"n\": \(head.messages)}").redisBytes
        case .msgpack:
            let position = [0xA5] + "epoch".redisBytes + [0xA8] + head.epoch
            let seq = [0xA3] + "seq".redisBytes + [0xCF] + head.seq.bigEndianBytes
            let date = [0xA7] + "date_ms".redisBytes + [0xCF] + head.date.bigEndianBytes
            let dateSeconds = [0xA4] + "date".redisBytes + [0xCF] + seconds.bigEndianBytes
            return start + position + seq + date + dateSeconds + [0xA1] + "n".redisBytes + [0xCF]
                + head.messages.bigEndianBytes
        }
    }

    // MARK: Writing

    private func writeLog(
        _ engine: inout Engine, _ input: ScriptInput, _ step: Step, _ payload: Bytes, quiet: Int64
    ) throws(CommandError) {
        let log = try input.key(2)
        let isTurn = step.head.seq % 16 == 0
        if step.isNew { try engine.call("DEL", log) }
        let id = "\(step.head.seq)-0"
        if isTurn {
            try engine.call("XADD", log, "MAXLEN", "~", settings.log.windowEvents, id, "e", payload)
        } else {
            try engine.call("XADD", log, id, "e", payload)
        }
        if step.isNew || isTurn || quiet > 60_000 {
            try engine.call("EXPIRE", log, settings.log.windowSeconds + 16 * 60)
        }
    }

    private func wakePersister(_ engine: inout Engine, _ ingest: Bytes) {
        let awaited = ingest + ChannelNames.awaitedSuffix.redisBytes
        if engine.pcall("EXISTS", awaited) == .integer(0) { engine.pcall("LPUSH", awaited, "1") }
    }

    private func markForDjango(_ engine: inout Engine, _ head: Bytes, _ seq: Int64) {
        let thread = head.sub(threadStart)
        let due = "\(engine.microseconds / 1_000_000)000"
        if engine.pcall("ZADD", names.queueDue, "NX", due, thread) == .integer(1) {
            engine.pcall("HSET", names.queueFrom, thread, seq)
        }
    }
}
