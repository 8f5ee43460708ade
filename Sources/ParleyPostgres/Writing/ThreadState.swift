import ParleyModel

/// A thread as a batch leaves it so far: read once per batch and written back once at its end.
struct ThreadState {
    private(set) var epoch: String?
    private(set) var headSeq: Int64 = 0
    private(set) var headN: Int64 = 0
    private(set) var headMilliseconds: Int64 = 0
    private(set) var lastMessageSeq: Int64?
    /// It is not as it was read.
    private(set) var isChanged = false
    /// The two users of a direct thread, equal for notes to oneself; empty for a room.
    let pair: Set<String>
    /// Both of the pair are known to be members.
    var hasPairAsMembers = false

    /// A row of `WriteQueries.threads`, whose first column is the id.
    init(_ row: Row) throws(PostgresError) {
        epoch = try row.optionalText(1)
        headSeq = try row.int(2)
        headN = try row.int(3)
        headMilliseconds = try row.int(4)
        lastMessageSeq = try row.optionalInt(5)
        let (first, second) = (try row.optionalText(6), try row.optionalText(7))
        pair = Set([first, second].compactMap { $0 })
    }

    /// A direct thread that has just been made.
    init(pair: Set<String>) {
        self.pair = pair
    }

    /// The log has used this position, whether or not anything is stored there: it must not be given out again.
    mutating func noteUsed(_ position: Position) {
        guard position.seq > headSeq else { return }
        headSeq = position.seq
        epoch = position.epoch.text
        isChanged = true
    }

    /// An event is stored at the end.
    mutating func append(_ event: LogEvent, at seq: Int64, milliseconds: Int64) {
        noteUsed(Position(epoch: event.position.epoch, seq: seq))
        headMilliseconds = milliseconds
        isChanged = true
        guard event.message != nil else { return }
        headN += 1
        lastMessageSeq = seq
    }

    /// An event is stored below the head, perhaps above all that is stored: the log has used seqs that are not.
    mutating func insert(_ event: LogEvent, at seq: Int64, milliseconds: Int64) {
        headMilliseconds = max(headMilliseconds, milliseconds)
        isChanged = true
        guard event.message != nil else { return }
        headN += 1
        lastMessageSeq = max(lastMessageSeq ?? 0, seq)
    }
}
