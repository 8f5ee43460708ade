import ParleyModel

extension Tables {
    /// Moves a read cursor as a mark says that may arrive late. One that moves forward takes effect, unless a later mark
    /// has moved the cursor back; one that moves back does, unless a later mark has moved the cursor at all. A mark
    /// without a time always takes effect.
    /// - Parameter n: the number of messages up to `seq`; `nil` if that is ahead of the head.
    mutating func moveCursor(
        of user: UserID, in thread: ThreadID, to seq: Int64, n: Int64?, madeAt made: Int64?, now: Int64
    ) {
        guard var row = member(user, of: thread) else { return }
        // A time ahead of the database's clock is replaced by the database's.
        let cut = made.map { min($0, now) }
        let moves =
            if seq > row.readSeq {
                Self.isLast(made, row.readBackMilliseconds)
            } else if seq < row.readSeq {
                Self.isLast(made, row.readMilliseconds)
            } else {
                cut.map { cut in row.readMilliseconds.map { $0 < cut } ?? true } ?? false
            }
        guard moves else { return }
        if seq < row.readSeq { row.readBackMilliseconds = Self.later(row.readBackMilliseconds, cut) }
        row.readMilliseconds = Self.later(row.readMilliseconds, cut)
        (row.readSeq, row.readN) = (seq, n)
        members[thread]?[user] = row
    }

    /// Moves a cursor to the end of what is stored, never back.
    mutating func moveCursorToEnd(of user: UserID, in thread: ThreadID, madeAt made: Int64?, now: Int64) {
        guard let head = threads[thread], var row = member(user, of: thread), row.readSeq < head.headSeq else { return }
        row.readMilliseconds = Self.later(row.readMilliseconds, min(made ?? now, now))
        (row.readSeq, row.readN) = (head.headSeq, head.headN)
        members[thread]?[user] = row
    }

    private static func isLast(_ made: Int64?, _ other: Int64?) -> Bool {
        guard let made, let other else { return true }
        return other <= made
    }

    private static func later(_ one: Int64?, _ other: Int64?) -> Int64? {
        guard let one, let other else { return one ?? other }
        return max(one, other)
    }
}
