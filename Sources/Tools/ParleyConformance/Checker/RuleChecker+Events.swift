import ParleyModel

/// The rules for positions: the events that a client has received without a gap.
extension RuleChecker {
    /// The end of a range without gaps: the client's own position, or the start of a reloaded page.
    struct Head {
        private(set) var seq: Int64
        /// The earlier ends, with the times at which they were superseded.
        private var earlier: [(until: Duration, seq: Int64)] = []

        init(_ seq: Int64) { self.seq = seq }

        mutating func move(to seq: Int64, at now: Duration) {
            earlier.append((now, self.seq))
            if earlier.count > 100 { earlier.removeFirst() }
            self.seq = seq
        }

        /// Returns the lowest end that the client may report at `time`, because recent events may still be in transit.
        func least(at time: Duration) -> Int64 {
            earlier.first { time - $0.until < RuleChecker.settled }?.seq ?? seq
        }
    }

    /// The highest `seq` that the client has received without a gap.
    var newest: Int64 { heads.map(\.seq).max() ?? 0 }

    /// Sets the client's position from the first hello.
    mutating func begins(epoch: String, seq: Int64) {
        self.epoch = epoch
        heads = [Head(seq)]
    }

    /// Notes an event that was sent to the client.
    mutating func delivered(_ seq: Int64) {
        var isNext = false
        for index in heads.indices where heads[index].seq == seq - 1 {
            heads[index].move(to: seq, at: now)
            isNext = true
        }
        guard !isNext, seq > newest else { return settle() }
        if beyond.count < 10_000 { beyond.insert(seq) }
        missing(upTo: seq)
    }

    /// Notes that events up to `seq` exist that the client has not received.
    mutating func missing(upTo seq: Int64) {
        guard seq > newest else { return }
        hole = (max(seq, hole?.upTo ?? 0), hole?.since ?? now)
    }

    /// Checks a request for a page above `after`.
    mutating func asked(after: Int64?) {
        guard let after, let hole, after > newest, after < hole.upTo else { return }
        report(.gap, "history after \(after), though nothing after \(newest) was received")
    }

    /// Notes a page that covers `from` to `to`.
    mutating func covered(from: Int64, to: Int64, isFresh: Bool) {
        for index in heads.indices where from - 1 <= heads[index].seq && heads[index].seq < to {
            heads[index].move(to: to, at: now)
        }
        if isFresh, !heads.contains(where: { $0.seq == to }) { heads.append(Head(to)) }
        reloadDue = false
        settle()
    }

    private mutating func settle() {
        for index in heads.indices {
            while beyond.contains(heads[index].seq + 1) { heads[index].move(to: heads[index].seq + 1, at: now) }
        }
        if let hole, newest >= hole.upTo { self.hole = nil }
    }

    /// Checks a resume.
    /// - Parameter position: The position of the room; `nil` if the resume does not contain it.
    mutating func resumed(_ position: Position?, helloSeq: Int64, lastEnd: Duration) {
        hole = nil
        beyond = []
        guard let position else {
            // The client has no position of the thread, or is at the position of hello. It fetches missing events.
            if helloSeq > newest { missing(upTo: helloSeq) }
            return
        }
        guard position.seq > 0 else { return }
        guard position.epoch.text == epoch else {
            return report(.position, "a position of the epoch \(position.epoch.text.prefix(70)), not of \(epoch)")
        }
        guard let head = heads.first(where: { $0.least(at: lastEnd) <= position.seq && position.seq <= $0.seq }) else {
            let ends = heads.map { "\($0.seq)" }.joined(separator: " or ")
            return report(.position, "the position \(position.seq), though \(ends) was received without a gap")
        }
        heads = head.seq == position.seq ? [head] : [Head(position.seq)]
    }

    /// Notes that the client was informed of a new numbering.
    mutating func rolledBack(epoch: String, to seq: Int64) {
        self.epoch = epoch
        heads = [Head(seq)]
        hole = nil
        beyond = []
        reloadDue = true
    }
}
