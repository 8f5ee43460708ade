import ParleyModel
import ParleyStorage

/// What is already stored of the events of batches; read only if they may not be new.
struct StoredBefore {
    private struct Pair: Hashable {
        var one: String
        var other: String
    }

    private struct SendHash: Hashable {
        var sender: Int64
        var clientID: Int64
    }

    private struct Repeat {
        var epoch: String
        /// Empty for an event that is not a message.
        var message: String
        /// The seq of the stored content.
        var first: Int64
    }

    private struct Slot: Hashable {
        var thread: String
        var seq: Int64
    }

    /// By thread and message id.
    private var messages: [Pair: Int64] = [:]
    /// By sender and `clientID`, the first use first.
    private var uses: [Pair: [StoredUse]] = [:]
    /// The hashes of each sender and `clientID`, by which the first uses are indexed.
    private var hashes: [Pair: SendHash] = [:]
    /// The hashes of all first uses. Another `clientID` may have the same: senders choose them.
    private var usedHashes: Set<SendHash> = []
    private let key: ContentKey?
    /// The events that are not messages.
    private var events: [StoredKey: Int64] = [:]
    private var taken: Set<Slot> = []
    /// The seqs that were used without content.
    private var repeats: [Slot: Repeat] = [:]
    private var rejects: [Place: String] = [:]

    private struct Place: Hashable {
        var partition: Int
        var offset: String
    }

    /// Reads what is stored of `batches` in one round trip, and locks the counts of its threads until the transaction
    /// ends.
    /// - Parameter key: the key of the digests of deleted messages.
    init(_ batches: [IngestBatch], _ key: ContentKey?, _ connection: PostgresConnection) throws {
        self.key = key
        let events = batches.flatMap(\.entries).compactMap {
            if case .event(let event) = $0.content { event } else { nil }
        }
        // Events that break the rules are not stored, and could not be queried.
        .filter { EventRules.allow($0) }
        let said = events.compactMap { event in event.message.map { (event.thread.text, $0) } }
        let sent = said.compactMap { _, message in message.clientID.map { (message.sender.id.text, $0) } }
        let others = events.compactMap { StoredKey($0) }.flatMap { [$0, $0.moved] }
        let replies = try connection.run([
            Locks.countsOfThreads(.texts(events.map(\.thread.text))),
            WriteQueries.messagesByID(.texts(said.map(\.0)), .texts(said.map(\.1.id.text))),
            SendQueries.uses(.texts(sent.map(\.0)), .texts(sent.map(\.1))),
            WriteQueries.eventsBefore(
                .texts(others.map(\.thread)), .ints(others.map(\.seq)), .texts(others.map(\.epoch)),
                .texts(others.map(\.user)), .texts(others.map(\.kind.rawValue))),
            WriteQueries.takenSeqs(.texts(events.map(\.thread.text)), .ints(events.map(\.position.seq))),
            WriteQueries.rejectReasons(
                .ints(batches.flatMap { batch in batch.entries.map { _ in Int64(batch.partition.number) } }),
                .texts(batches.flatMap { batch in batch.entries.map { _ in batch.incarnation } }),
                .texts(batches.flatMap { $0.entries.map(\.offset) })),
            SendQueries.repeats(.texts(events.map(\.thread.text)), .ints(events.map(\.position.seq))),
            SendQueries.places(.texts(sent.map(\.0)), .texts(sent.map(\.1))),
        ])
        try read(replies)
    }

    private mutating func read(_ replies: [Rows]) throws {
        for (key, seq) in try replies[1].map({ (Pair(one: try $0.text(0), other: try $0.text(1)), try $0.int(2)) }) {
            messages[key] = seq
        }
        for (key, use) in try replies[2].map({
            (Pair(one: try $0.text(0), other: try $0.text(1)), try StoredUse(row: $0))
        }) {
            uses[key, default: []].append(use)
        }
        for (key, seq) in try replies[3].map({ row in
            let key = StoredKey(
                thread: try row.text(0), seq: try row.int(1), epoch: try row.text(2), user: try row.text(3),
                kind: try row.eventKind(4))
            return (key, try row.int(5))
        }) {
            events[key] = seq
        }
        taken = Set(try replies[4].map { Slot(thread: try $0.text(0), seq: try $0.int(1)) })
        for (place, reason) in try replies[5].map({ row in
            (Place(partition: Int(try row.int(0)), offset: try row.text(1)), try row.text(2))
        }) {
            rejects[place] = reason
        }
        for (slot, one) in try replies[6].map({ row in
            let slot = Slot(thread: try row.text(0), seq: try row.int(1))
            return (slot, Repeat(epoch: try row.text(2), message: try row.text(3), first: try row.int(4)))
        }) {
            taken.insert(slot)
            repeats[slot] = one
        }
        for (key, hash, isUsed) in try replies[7].map({ row in
            let hash = SendHash(sender: try row.int(2), clientID: try row.int(3))
            return (Pair(one: try row.text(0), other: try row.text(1)), hash, try row.bool(4))
        }) {
            hashes[key] = hash
            if isUsed { usedHashes.insert(hash) }
        }
    }

    /// Why the entry at `offset` was rejected, if it was.
    func rejectReason(at offset: String, of partition: Partition) -> String? {
        rejects[Place(partition: partition.number, offset: offset)]
    }

    /// Whether something is stored at this seq.
    func isTaken(_ seq: Int64, in thread: ThreadID) -> Bool { taken.contains(Slot(thread: thread.text, seq: seq)) }

    /// The verdict on an event.
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
        guard let clientID = message.clientID else { return .new }
        let name = Pair(one: message.sender.id.text, other: clientID)
        let verdict = EventVerdict(message, in: event.thread, uses: uses[name] ?? [], key)
        // A collision: the index has no room for another first use.
        return verdict == .new && hashes[name].map(usedHashes.contains) == true ? .laterUse : verdict
    }

    /// Records an empty seq of the batch.
    mutating func noteRepeat(_ event: LogEvent, of first: Int64) {
        let slot = Slot(thread: event.thread.text, seq: event.position.seq)
        taken.insert(slot)
        repeats[slot] = Repeat(
            epoch: event.position.epoch.text, message: event.message?.id.text ?? "", first: first)
    }

    /// Records an event that the batch stores.
    mutating func note(_ event: LogEvent, at seq: Int64) {
        taken.insert(Slot(thread: event.thread.text, seq: seq))
        if let key = StoredKey(event) { events[key] = seq }
        guard let message = event.message else { return }
        messages[Pair(one: event.thread.text, other: message.id.text)] = seq
        guard let clientID = message.clientID else { return }
        let name = Pair(one: message.sender.id.text, other: clientID)
        uses[name, default: []].append(StoredUse(message, of: event, at: seq))
        if let hash = hashes[name] { usedHashes.insert(hash) }
    }
}
