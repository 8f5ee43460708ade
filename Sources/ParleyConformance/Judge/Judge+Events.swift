import ParleyModel

/// The rules of positions: what a client has received without a gap.
extension Judge {
    /// An end of a part without gaps: the client's own, or where a page began anew.
    struct Head {
        private(set) var seq: Int64
        /// Earlier ends, with the time until which they were the newest.
        private var earlier: [(until: Duration, seq: Int64)] = []

        init(_ seq: Int64) { self.seq = seq }

        mutating func move(to seq: Int64, at now: Duration) {
            earlier.append((now, self.seq))
            if earlier.count > 100 { earlier.removeFirst() }
            self.seq = seq
        }

        /// The lowest end that the client may report at `time`, since what came shortly before may be on its way.
        func least(at time: Duration) -> Int64 {
            earlier.first { time - $0.until < Judge.settled }?.seq ?? seq
        }
    }

    /// The highest `seq` that the client has received without a gap.
    var newest: Int64 { heads.map(\.seq).max() ?? 0 }

    /// The first hello: the client begins here.
    mutating func begins(epoch: String, seq: Int64) {
        self.epoch = epoch
        heads = [Head(seq)]
    }

    /// An event was sent.
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

    /// Events up to `seq` exist that the client has not received.
    mutating func missing(upTo seq: Int64) {
        guard seq > newest else { return }
        hole = (max(seq, hole?.upTo ?? 0), hole?.since ?? now)
    }

    /// The client asks for a page above `after`.
    mutating func asked(after: Int64?) {
        guard let after, let hole, after > newest, after < hole.upTo else { return }
        breaks(.gap, "history after \(after), though nothing after \(newest) was received")
    }

    /// A page was sent that covers `from` to `to`.
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

    /// The client resumes: `position` is that of the room, if it is among its positions.
    mutating func resumed(_ position: Position?, helloSeq: Int64, lastEnd: Duration) {
        hole = nil
        beyond = []
        guard let position else {
            // Nothing is kept of the thread, or it ends where hello says; what is missing is fetched.
            if helloSeq > newest { missing(upTo: helloSeq) }
            return
        }
        guard position.seq > 0 else { return }
        guard position.epoch.text == epoch else {
            return breaks(.position, "a position of the epoch \(position.epoch.text.prefix(70)), not of \(epoch)")
        }
        guard let head = heads.first(where: { $0.least(at: lastEnd) <= position.seq && position.seq <= $0.seq }) else {
            let ends = heads.map { "\($0.seq)" }.joined(separator: " or ")
            return breaks(.position, "the position \(position.seq), though \(ends) was received without a gap")
        }
        heads = head.seq == position.seq ? [head] : [Head(position.seq)]
    }

    /// The client was told that the numbering has started over.
    mutating func rolledBack(epoch: String, to seq: Int64) {
        self.epoch = epoch
        heads = [Head(seq)]
        hole = nil
        beyond = []
        reloadDue = true
    }
}
