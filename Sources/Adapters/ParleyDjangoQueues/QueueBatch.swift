import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyRedisClient

/// Messages of a thread that are sent to Django together, as read from its log.
struct QueueBatch {
    let thread: ThreadID
    let epoch: Epoch
    let messages: [LogEvent]
    /// The last event that was read, whether it is a message or not.
    let last: Int64
    /// The number of messages that Django does not receive because they are too old or no longer in the log. An upper
    /// bound, since the latter include other events.
    let missed: Int

    /// Reads the reply of `RedisScripts.queueTake`; `nil` if there is nothing to send.
    /// - Parameter expiry: The maximum age of a message, in seconds.
    init?(_ reply: RESPValue, of thread: ThreadID, _ codec: EventCodec, expiry: Int64) {
        guard let parts = reply.elements, parts.count == 3, let now = parts[0].number?.within(LogBounds.dates),
            let from = parts[1].number?.within(LogBounds.seqs),
            let entries = parts[2].elements?.compactMap({ StreamEntry($0) })
        else { return nil }
        self.thread = thread
        let events = entries.compactMap { $0.event(codec) }
        let oldest = now - expiry * 1000
        // The log holds events of one epoch, unless it is replaced in the meantime; the next batch then contains the rest.
        let epoch = events.first?.position.epoch ?? Epoch("")
        self.epoch = epoch
        let ofEpoch = events.prefix { $0.position.epoch == epoch }
        let sendable = ofEpoch.filter { event in
            event.message.map { !$0.isDeleted && !$0.isErased && !event.isKnownToDjango } ?? false
        }
        messages = sendable.filter { $0.milliseconds >= oldest }
        let lastEntry = entries.last.flatMap { Int64($0.id.prefix { $0 != "-" }) } ?? from - 1
        last = ofEpoch.count == events.count ? lastEntry : ofEpoch.last?.position.seq ?? lastEntry
        let first = entries.first.flatMap { Int64($0.id.prefix { $0 != "-" }) } ?? from
        missed = sendable.count - messages.count + Int(clamping: max(0, first - from))
    }
}
