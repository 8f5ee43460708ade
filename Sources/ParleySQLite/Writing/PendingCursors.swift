import GRDB
import ParleyModel

/// Read cursors that a batch moves forward: however much a user says in it, each is written once.
struct PendingCursors {
    private struct Key: Hashable {
        var thread: ThreadID
        var user: UserID
    }

    private struct Cursor {
        var seq: Int64
        var n: Int64
    }

    private var cursors: [Key: Cursor] = [:]

    /// The cursor of `user` goes to `seq`, up to which there are `n` messages; never back.
    mutating func move(_ user: UserID, in thread: ThreadID, to seq: Int64, n: Int64) {
        let key = Key(thread: thread, user: user)
        guard seq > cursors[key]?.seq ?? 0 else { return }
        cursors[key] = Cursor(seq: seq, n: n)
    }

    /// Writes all of them; users who are no members have none.
    mutating func write(to db: Database) throws {
        for (key, cursor) in cursors {
            try db.cachedStatement(sql: WriteQueries.advanceCursor)
                .execute(arguments: [cursor.seq, cursor.n, key.thread.text, key.user.text])
        }
        cursors.removeAll(keepingCapacity: true)
    }
}
