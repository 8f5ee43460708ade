import ParleyModel

/// What is stored already of the events of a batch; asked for only when there may be something.
struct StoredBefore {
    private struct Pair: Hashable {
        var one: String
        var other: String
    }

    private struct EventKey: Hashable {
        var thread: String
        var seq: Int64
        var epoch: String
        var user: String
        var kind: String
    }

    private struct Seat: Hashable {
        var thread: String
        var seq: Int64
    }

    /// By thread and message id.
    private var messages: [Pair: Int64] = [:]
    /// By sender and `clientID`.
    private var sends: [Pair: Seat] = [:]
    /// Those that are no messages.
    private var events: [EventKey: Int64] = [:]
    private var taken: Set<Seat> = []
    private var rejects: [String: String] = [:]

    /// Asks for all events of `batch` in one round trip, and holds their threads' counts until the transaction ends.
    init(_ batch: IngestBatch, _ connection: PostgresConnection) throws {
        let events = batch.entries.compactMap { if case .event(let event) = $0.content { event } else { nil } }
            .filter { Self.canBeStored($0) }
        let said = events.compactMap { event in event.message.map { (event.thread.text, $0) } }
        let sent = said.compactMap { _, message in message.clientID.map { (message.sender.id.text, $0) } }
        let others = events.compactMap { Self.key(of: $0) }
        let answers = try connection.run([
            Locks.countsOfThreads(.texts(events.map(\.thread.text))),
            WriteQueries.messagesByID(.texts(said.map(\.0)), .texts(said.map(\.1.id.text))),
            WriteQueries.messagesByClientID(.texts(sent.map(\.0)), .texts(sent.map(\.1))),
            WriteQueries.eventsBefore(
                .texts(others.map(\.thread)), .ints(others.map(\.seq)), .texts(others.map(\.epoch)),
                .texts(others.map(\.user)), .texts(others.map(\.kind))),
            WriteQueries.takenSeqs(.texts(events.map(\.thread.text)), .ints(events.map(\.position.seq))),
            WriteQueries.rejectReasons(
                .int(Int64(batch.partition.number)), .text(batch.incarnation), .texts(batch.entries.map(\.offset))),
        ])
        try read(answers)
    }

    /// What breaks the rules is not there, and could not be asked for.
    private static func canBeStored(_ event: LogEvent) -> Bool {
        do {
            try EventRules.check(event)
            return true
        } catch {
            return false
        }
    }

    private mutating func read(_ answers: [Rows]) throws {
        for (key, seq) in try answers[1].map({ (Pair(one: try $0.text(0), other: try $0.text(1)), try $0.int(2)) }) {
            messages[key] = seq
        }
        for (key, seat) in try answers[2].map({
            (Pair(one: try $0.text(0), other: try $0.text(1)), Seat(thread: try $0.text(2), seq: try $0.int(3)))
        }) {
            sends[key] = seat
        }
        for (key, seq) in try answers[3].map({ row in
            let key = EventKey(
                thread: try row.text(0), seq: try row.int(1), epoch: try row.text(2), user: try row.text(3),
                kind: try row.text(4))
            return (key, try row.int(5))
        }) {
            events[key] = seq
        }
        taken = Set(try answers[4].map { Seat(thread: try $0.text(0), seq: try $0.int(1)) })
        for (offset, reason) in try answers[5].map({ (try $0.text(0), try $0.text(1)) }) { rejects[offset] = reason }
    }

    /// Why the entry at `offset` was rejected, if it was.
    func rejectReason(at offset: String) -> String? { rejects[offset] }

    /// Something has this seq.
    func isTaken(_ seq: Int64, in thread: ThreadID) -> Bool { taken.contains(Seat(thread: thread.text, seq: seq)) }

    /// The seq under which an event is stored, if it is.
    /// - Throws: `Poison` if the sender used the `clientID` in another thread.
    func seq(of event: LogEvent) throws(Poison) -> Int64? {
        if let key = Self.key(of: event) { return events[key] }
        guard let message = event.message else { return nil }
        if let seq = messages[Pair(one: event.thread.text, other: message.id.text)] { return seq }
        guard let clientID = message.clientID else { return nil }
        guard let place = sends[Pair(one: message.sender.id.text, other: clientID)] else { return nil }
        // Its seq would mean nothing in this thread, and the text must not vanish as if it were a repeat.
        guard place.thread == event.thread.text else { throw Poison("client_id was used in another thread") }
        return place.seq
    }

    /// The batch itself stores an event.
    mutating func note(_ event: LogEvent, at seq: Int64) {
        taken.insert(Seat(thread: event.thread.text, seq: seq))
        if let key = Self.key(of: event) { events[key] = seq }
        guard let message = event.message else { return }
        messages[Pair(one: event.thread.text, other: message.id.text)] = seq
        guard let clientID = message.clientID else { return }
        sends[Pair(one: message.sender.id.text, other: clientID)] = Seat(thread: event.thread.text, seq: seq)
    }

    /// By what an event is known again; `nil` for a message.
    private static func key(of event: LogEvent) -> EventKey? {
        EventFields(event.body).map { fields in
            EventKey(
                thread: event.thread.text, seq: event.position.seq, epoch: event.position.epoch.text,
                user: fields.user.text, kind: fields.kind)
        }
    }
}
