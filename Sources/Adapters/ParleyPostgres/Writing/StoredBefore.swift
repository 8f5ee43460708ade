import ParleyModel
import ParleyStorage

/// The stored rows that events of batches may repeat. They are only read if the events may not be new.
struct StoredBefore {
    private struct Pair: Hashable {
        var one: String
        var other: String
    }

    private struct Slot: Hashable {
        var thread: String
        var seq: Int64
    }

    /// The seqs of messages, by thread and message ID.
    private var messages: [Pair: Int64] = [:]
    /// The uses of each `client_id`, beginning with the first.
    private var uses: [SendKey: [StoredUse]] = [:]
    /// The threads of the first uses.
    private var firstThreads: [SendKey: ThreadID] = [:]
    private var hashes: [SendKey: SendHash] = [:]
    /// The hashes of all first uses. Other `client_id`s may have the same hashes, since senders choose them.
    private var usedHashes: Set<SendHash> = []
    private let key: ContentKey?
    /// The seqs of events that are not messages.
    private var events: [StoredKey: Int64] = [:]
    private var taken: Set<Slot> = []
    /// The seqs that were used without content of their own.
    private var repeats: [Slot: EmptySeq] = [:]
    private var rejects: [Place: String] = [:]

    private struct Place: Hashable {
        var partition: Int
        var offset: String
    }

    /// Reads the rows that events of `batches` may repeat in one round trip, and locks the counts of the threads until
    /// the transaction ends.
    /// - Parameter key: the key for the digests of deleted messages.
    init(_ batches: [IngestBatch], _ key: ContentKey?, _ connection: PostgresConnection) throws {
        self.key = key
        let events = batches.flatMap(\.entries).compactMap {
            if case .event(let event) = $0.content { event } else { nil }
        }
        // Events that violate the rules are not stored, and their values cannot be used in a query.
        .filter { EventRules.allow($0) }
        let said = events.compactMap { event in event.message.map { (event.thread.text, $0) } }
        let sent = said.compactMap { _, message in message.clientID.map { (message.sender.id.text, $0) } }
        let others = events.compactMap { StoredKey($0) }.flatMap { [$0, $0.moved] }
        let entries = batches.flatMap { batch in batch.entries.map { (batch, $0.offset) } }
        let (threads, seqs) = (
            Parameter.texts(events.map(\.thread.text)), Parameter.ints(events.map(\.position.seq))
        )
        let (senders, clientIDs) = (Parameter.texts(sent.map(\.0)), Parameter.texts(sent.map(\.1)))
        var pipeline = Pipeline(Locks.countsOfThreads(threads))
        let messages = pipeline.add(WriteQueries.messagesByID(.texts(said.map(\.0)), .texts(said.map(\.1.id.text))))
        let uses = pipeline.add(SendQueries.uses(senders, clientIDs))
        let stored = pipeline.add(
            WriteQueries.eventsBefore(
                .texts(others.map(\.thread)), .ints(others.map(\.seq)), .texts(others.map(\.epoch)),
                .texts(others.map(\.user)), .texts(others.map(\.kind.rawValue))))
        let taken = pipeline.add(WriteQueries.takenSeqs(threads, seqs))
        let rejects = pipeline.add(
            WriteQueries.rejectReasons(
                .ints(entries.map { Int64($0.0.partition.number) }), .texts(entries.map(\.0.incarnation)),
                .texts(entries.map(\.1))))
        let repeats = pipeline.add(SendQueries.repeats(threads, seqs))
        let places = pipeline.add(SendQueries.places(senders, clientIDs))
        let replies = try connection.run(pipeline)

        for (thread, id, seq) in try replies.all(messages) { self.messages[Pair(one: thread, other: id)] = seq }
        for (key, use, isFirst) in try replies.all(uses) {
            self.uses[key, default: []].append(use)
            if isFirst { firstThreads[key] = use.receipt.thread }
        }
        for (key, seq) in try replies.all(stored) { self.events[key] = seq }
        self.taken = Set(try replies.all(taken).map { Slot(thread: $0.thread, seq: $0.seq) })
        for (partition, offset, reason) in try replies.all(rejects) {
            self.rejects[Place(partition: partition, offset: offset)] = reason
        }
        for (thread, seq, content) in try replies.all(repeats) {
            let slot = Slot(thread: thread, seq: seq)
            self.taken.insert(slot)
            self.repeats[slot] = content
        }
        for (key, hash, isUsed) in try replies.all(places) {
            hashes[key] = hash
            if isUsed { usedHashes.insert(hash) }
        }
    }

    /// Returns the reason for which the entry at `offset` was rejected; `nil` if it was not.
    func rejectReason(at offset: String, of partition: Partition) -> String? {
        rejects[Place(partition: partition.number, offset: offset)]
    }

    /// Whether this seq is in use.
    func isTaken(_ seq: Int64, in thread: ThreadID) -> Bool { taken.contains(Slot(thread: thread.text, seq: seq)) }

    /// Returns the verdict on an event.
    func verdict(on event: LogEvent) -> EventVerdict {
        let slot = Slot(thread: event.thread.text, seq: event.position.seq)
        if let one = repeats[slot], one.epoch == event.position.epoch.text, one.message == event.message?.id.text ?? ""
        {
            return .known(seq: one.first)
        }
        if let key = StoredKey(event) {
            return (events[key] ?? events[key.moved]).map { .known(seq: $0) } ?? .new
        }
        guard let message = event.message else { return .new }
        if let seq = messages[Pair(one: event.thread.text, other: message.id.text)] { return .known(seq: seq) }
        guard let name = message.sendKey else { return .new }
        let verdict = EventVerdict(message, in: event.thread, uses: uses[name] ?? [], key)
        // The hashes collide, and the unique index cannot hold another first use.
        return verdict == .new && hashes[name].map(usedHashes.contains) == true ? .laterUse : verdict
    }

    /// Forgets the content of a deleted thread, which is removed when a thread with its ID begins.
    mutating func forget(_ thread: ThreadID) {
        let text = thread.text
        messages = messages.filter { $0.key.one != text }
        events = events.filter { $0.key.thread != text }
        taken = taken.filter { $0.thread != text || repeats[$0] != nil }
        uses = uses.mapValues { $0.filter { $0.receipt.thread != thread } }
        for (name, first) in firstThreads where first == thread {
            firstThreads[name] = nil
            if let hash = hashes[name] { usedHashes.remove(hash) }
        }
    }

    /// Records an empty seq of the batch.
    mutating func noteRepeat(_ event: LogEvent, of first: Int64) {
        let slot = Slot(thread: event.thread.text, seq: event.position.seq)
        taken.insert(slot)
        repeats[slot] = EmptySeq(
            epoch: event.position.epoch.text, message: event.message?.id.text ?? "", first: first)
    }

    /// Records an event that the batch stores.
    mutating func note(_ event: LogEvent, at seq: Int64) {
        taken.insert(Slot(thread: event.thread.text, seq: seq))
        if let key = StoredKey(event) { events[key] = seq }
        guard let message = event.message else { return }
        messages[Pair(one: event.thread.text, other: message.id.text)] = seq
        guard let name = message.sendKey else { return }
        uses[name, default: []].append(StoredUse(message, of: event, at: seq))
        if let hash = hashes[name] { usedHashes.insert(hash) }
    }
}
