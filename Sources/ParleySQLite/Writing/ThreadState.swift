import GRDB
import ParleyModel

/// A thread as a batch leaves it so far: read once per batch and written back once at its end.
struct ThreadState {
    private(set) var epoch: String?
    private(set) var headSeq: Int64
    private(set) var headN: Int64
    private(set) var headMilliseconds: Int64
    private(set) var lastMessageSeq: Int64?
    /// The two users of a direct thread, equal for notes to oneself; empty for a room.
    let pair: Set<String>
    /// Both of the pair are known to be members.
    var hasPairAsMembers = false

    /// A row of `WriteQueries.thread`.
    init(_ row: Row) {
        epoch = row[0]
        headSeq = row[1]
        headN = row[2]
        headMilliseconds = row[3]
        lastMessageSeq = row[4]
        let first: String? = row[5]
        let second: String? = row[6]
        pair = Set([first, second].compactMap { $0 })
    }

    /// A direct thread that has just been made.
    init(pair: Set<String>) {
        epoch = nil
        headSeq = 0
        headN = 0
        headMilliseconds = 0
        lastMessageSeq = nil
        self.pair = pair
    }

    /// The log has used this position, whether or not anything is stored there: it must not be given out again.
    mutating func noteUsed(_ position: Position) {
        guard position.seq > headSeq else { return }
        headSeq = position.seq
        epoch = position.epoch.text
    }

    /// An event is stored at the end.
    mutating func append(_ event: LogEvent, at seq: Int64, milliseconds: Int64) {
        noteUsed(Position(epoch: event.position.epoch, seq: seq))
        headMilliseconds = milliseconds
        guard event.message != nil else { return }
        headN += 1
        lastMessageSeq = seq
    }

    /// An event is stored below the head, perhaps above all that is stored: the log has used seqs that are not.
    mutating func insert(_ event: LogEvent, at seq: Int64, milliseconds: Int64) {
        headMilliseconds = max(headMilliseconds, milliseconds)
        guard event.message != nil else { return }
        headN += 1
        lastMessageSeq = max(lastMessageSeq ?? 0, seq)
    }
}
