package import ParleyModel

/// The rows of one thread in `messages`, `events`, `reactions` and `repeats`, with their indexes. They outlast the row in
/// `threads` until a cleanup has removed them.
package struct ThreadLog: Sendable {
    /// The identity of an event that is not a message.
    package struct EventKey: Hashable, Sendable {
        let logSeq: Int64
        let epoch: String
        let user: UserID
        let kind: LogEvent.Kind
    }

    /// Ascending by seq.
    package private(set) var messages: [MessageRow] = []
    /// Ascending by seq.
    package private(set) var events: [EventRow] = []
    package private(set) var repeats: [Int64: RepeatRow] = [:]
    /// By the seq of the message and the emoji.
    package private(set) var reactions: [Int64: [ByteText: Set<UserID>]] = [:]
    package private(set) var seqOfMessage: [MessageID: Int64] = [:]
    package private(set) var seqOfEvent: [EventKey: Int64] = [:]
    /// The seqs of deleted messages, ascending.
    private var deleted: [Int64] = []

    // MARK: Places

    /// The index of the first element that is not before the sought place.
    static func index<Row>(in rows: [Row], where isBefore: (Row) -> Bool) -> Int {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = low + (high - low) / 2
            if isBefore(rows[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The index of the first message at or above a seq.
    func messageIndex(from seq: Int64) -> Int { Self.index(in: messages) { $0.seq < seq } }
    func eventIndex(from seq: Int64) -> Int { Self.index(in: events) { $0.seq < seq } }

    private func indexOfMessage(at seq: Int64) -> Int? {
        let index = messageIndex(from: seq)
        return index < messages.count && messages[index].seq == seq ? index : nil
    }

    private func indexOfEvent(at seq: Int64) -> Int? {
        let index = eventIndex(from: seq)
        return index < events.count && events[index].seq == seq ? index : nil
    }

    // MARK: Queries

    func message(at seq: Int64) -> MessageRow? { indexOfMessage(at: seq).map { messages[$0] } }
    func message(_ id: MessageID) -> MessageRow? { seqOfMessage[id].flatMap { message(at: $0) } }
    func event(at seq: Int64) -> EventRow? { indexOfEvent(at: seq).map { events[$0] } }

    func isTaken(_ seq: Int64) -> Bool {
        repeats[seq] != nil || indexOfMessage(at: seq) != nil || indexOfEvent(at: seq) != nil
    }

    func epochs(at seq: Int64) -> [String] {
        [message(at: seq)?.epoch, event(at: seq)?.epoch, repeats[seq]?.epoch].compactMap { $0 }
    }

    /// The number of messages up to and including a seq.
    func count(upTo seq: Int64) -> Int64 {
        let index = Self.index(in: messages) { $0.seq <= seq }
        return index > 0 ? messages[..<index].last?.n ?? 0 : 0
    }

    func countDeleted(after seq: Int64) -> Int64 {
        Int64(deleted.count - Self.index(in: deleted) { $0 <= seq })
    }

    // MARK: Changes

    mutating func insert(_ row: MessageRow) {
        messages.insert(row, at: messageIndex(from: row.seq))
        seqOfMessage[row.id] = row.seq
    }

    mutating func insert(_ row: EventRow) {
        events.insert(row, at: eventIndex(from: row.seq))
        let key = EventKey(logSeq: row.logSeq, epoch: row.epoch, user: row.fields.user, kind: row.fields.kind)
        // Of equal ones, the lowest counts.
        seqOfEvent[key] = min(seqOfEvent[key] ?? .max, row.seq)
    }

    mutating func insertRepeat(_ row: RepeatRow, at seq: Int64) {
        if repeats[seq] == nil { repeats[seq] = row }
    }

    /// Changes the message at a seq, if there is one.
    mutating func update(at seq: Int64, _ change: (inout MessageRow) -> Void) {
        guard let index = indexOfMessage(at: seq) else { return }
        let wasDeleted = messages[index].deleted != nil
        change(&messages[index])
        if messages[index].deleted != nil, !wasDeleted {
            deleted.insert(seq, at: Self.index(in: deleted) { $0 < seq })
        }
    }

    /// Changes the first events that match.
    /// - Returns: how many.
    mutating func updateEvents(
        limit: Int = .max, where matches: (EventRow) -> Bool, _ change: (inout EventRow) -> Void
    ) -> Int {
        var count = 0
        for index in events.indices where count < limit && matches(events[index]) {
            change(&events[index])
            count += 1
        }
        return count
    }

    /// Raises the message numbers after a seq by one.
    mutating func countUp(after seq: Int64) {
        for index in Self.index(in: messages, where: { $0.seq <= seq })..<messages.count { messages[index].n += 1 }
        for index in Self.index(in: events, where: { $0.seq <= seq })..<events.count { events[index].n += 1 }
    }

    mutating func react(_ user: UserID, _ emoji: String, to seq: Int64) {
        reactions[seq, default: [:]][ByteText(emoji), default: []].insert(user)
    }

    mutating func unreact(_ user: UserID, _ emoji: String, to seq: Int64) {
        let emoji = ByteText(emoji)
        reactions[seq]?[emoji]?.remove(user)
        if reactions[seq]?[emoji]?.isEmpty == true { reactions[seq]?[emoji] = nil }
        if reactions[seq]?.isEmpty == true { reactions[seq] = nil }
    }

    mutating func forgetReactions(to seq: Int64) { reactions[seq] = nil }

    // MARK: Removal

    mutating func removeRepeats() { repeats = [:] }

    /// Removes the oldest messages, up to a limit.
    mutating func removeMessages(limit: Int) -> [MessageRow] {
        let gone = Array(messages.prefix(limit))
        messages.removeFirst(gone.count)
        for row in gone { seqOfMessage[row.id] = nil }
        deleted.removeFirst(Self.index(in: deleted) { $0 < messages.first?.seq ?? .max })
        return gone
    }

    /// Removes the oldest events, up to a limit.
    /// - Returns: how many.
    mutating func removeEvents(limit: Int) -> Int {
        let count = min(limit, events.count)
        events.removeFirst(count)
        if events.isEmpty { seqOfEvent = [:] } else { seqOfEvent = seqOfEvent.filter { $0.value >= events[0].seq } }
        return count
    }

    /// Removes some reactions, up to a limit.
    /// - Returns: how many.
    mutating func removeReactions(limit: Int) -> Int {
        var count = 0
        for seq in reactions.keys.sorted() {
            for (emoji, users) in (reactions[seq] ?? [:]).sorted(by: { $0.key < $1.key }) {
                for user in users.sorted(by: { $0.text < $1.text }) {
                    if count == limit { return count }
                    unreact(user, emoji.text, to: seq)
                    count += 1
                }
            }
        }
        return count
    }

    var isEmpty: Bool { messages.isEmpty && events.isEmpty && reactions.isEmpty && repeats.isEmpty }
    /// Whether any rows that a cleanup removes are left.
    var hasRemains: Bool { !messages.isEmpty || !events.isEmpty || !reactions.isEmpty }
}
