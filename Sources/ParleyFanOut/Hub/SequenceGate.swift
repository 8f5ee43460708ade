package import ParleyModel

/// Lets the events of one thread through in order, each once, and detects gaps.
///
/// A value without a clock. Its owner reads the log when a verdict requires it, and passes the result to `repaired` or
/// `repairFailed`. One reading is under way at a time; until its result is there, events are held.
package struct SequenceGate: Sendable {
    package enum Verdict: Hashable, Sendable {
        /// Deliver the event that was offered.
        case deliver
        /// It was delivered before, or belongs to a numbering that is over.
        case ignore
        /// It is held until the log has been read.
        case hold
        /// As `hold`; read the log after this seq.
        case repair(after: Int64)
    }

    /// The result of a reading of the log.
    package struct Repair: Hashable, Sendable {
        /// To be delivered now, in order.
        package var events: [LogEvent] = []
        /// How many events are neither in the log nor held.
        package var lost: Int64 = 0
        /// If not `nil`, the log is to be read once more, after this seq.
        package var readAfter: Int64?
        /// If not `nil`, the numbering has started over before the first of `events`.
        package var renumbering: Renumbering?
    }

    /// The maximum number of events held; more are read from the log.
    package static let holdLimit = 1000
    /// The maximum number of events of one reading.
    package static let readLimit = 1000
    /// How many former numberings are remembered.
    private static let formerEpochsLimit = 8

    /// The current numbering; `nil` while nothing is known of the thread, or it is known to have no events.
    private var epoch: Epoch?
    /// The next seq; `nil` if it is not known, so that any is accepted.
    private var next: Int64?
    /// The numberings before this one, newest last; their events are late.
    private var formerEpochs: [Epoch] = []
    /// `nil` unless the log is being read.
    private var gap: Gap?
    /// The last seq that was let through before the numbering started over, until the new one's first is.
    private var lastOfFormer: Int64?
    /// The last seq of that numbering that is still valid, if the log knows it.
    private var validOfFormer: Int64?

    private struct Gap {
        var held: [LogEvent] = []
        var reading = Reading.good
        /// The newest seq that was held when the reading began. What the log has published up to there was in it by
        /// then.
        private(set) var seen: Int64 = 0

        /// A reading of this numbering begins.
        mutating func beginReading(in epoch: Epoch?) {
            reading = .good
            seen = held.lazy.filter { $0.position.epoch == epoch }.map(\.position.seq).max() ?? 0
        }

        mutating func hold(_ event: LogEvent) {
            if held.count < holdLimit {
                held.append(event)
            } else if reading == .good {
                reading = .goodSoFar
            }
        }
    }

    /// How much the result of the reading under way will cover.
    private enum Reading {
        case good
        /// Events came that it may not see: another reading must follow.
        case goodSoFar
        /// It reads after a seq of a numbering that is over.
        case useless
    }

    package init() {}

    /// The position up to which all events were let through; `nil` if there are none, or if it is not known.
    package var delivered: Position? {
        guard let epoch, let next else { return nil }
        return Position(epoch: epoch, seq: next - 1)
    }

    /// Whether `delivered` is known; it is for a thread without events.
    package var isPlaced: Bool { next != nil }

    /// Begins behind the end of the log, read after the subscription: a gap is detected even if the first event after
    /// it is missing. Does nothing if an event has come already.
    /// - Parameter head: `nil` for a thread without events.
    package mutating func begin(behind head: Position?) {
        guard next == nil, gap == nil, epoch == nil else { return }
        epoch = head?.epoch
        next = (head?.seq ?? 0) + 1
    }

    /// An event has come.
    package mutating func offer(_ event: LogEvent) -> Verdict {
        let (theirs, seq) = (event.position.epoch, event.position.seq)
        if formerEpochs.contains(theirs) { return .ignore }
        if epoch == nil { epoch = theirs }
        guard theirs == epoch else { return beginEpoch(theirs, with: event) }
        if let next, seq < next { return .ignore }
        guard gap == nil else {
            gap?.hold(event)
            return .hold
        }
        guard let next, seq > next else {
            next = seq + 1
            return .deliver
        }
        gap = Gap(held: [event])
        gap?.beginReading(in: epoch)
        return .repair(after: next - 1)
    }

    /// Events may have been missed: all further ones are held until the log has been read.
    /// - Returns: the seq after which to read the log; `nil` if a reading is under way, or the position is not known.
    package mutating func suspectGap() -> Int64? {
        guard gap == nil else {
            if gap?.reading == .good { gap?.reading = .goodSoFar }
            return nil
        }
        guard let next else { return nil }
        gap = Gap()
        return next - 1
    }

    /// The log was read after the seq of the last verdict, with `readLimit`.
    package mutating func repaired(_ slice: LogSlice) -> Repair {
        guard let gap else { return Repair() }
        if gap.reading == .useless {
            self.gap?.beginReading(in: epoch)
            return Repair(readAfter: (next ?? 1) - 1)
        }
        if let theirs = slice.epoch, !formerEpochs.contains(theirs) {
            if epoch == nil { epoch = theirs }
            if theirs != epoch {
                let former = epoch
                begin(theirs)
                validOfFormer = former.flatMap { slice.formerEpochs[$0] }
                self.gap?.beginReading(in: epoch)
                return Repair(readAfter: 0)
            }
        }
        guard slice.epoch == epoch else { return fill(gap, with: []) }
        if lastOfFormer != nil, let former = formerEpochs.last { validOfFormer = slice.formerEpochs[former] }
        return fill(gap, with: slice.events, end: slice.end)
    }

    /// The log could not be read: held events are delivered, those missing before them are given up.
    package mutating func repairFailed() -> Repair {
        guard let gap else { return Repair() }
        return fill(Gap(held: gap.held), with: [])
    }

    /// - Parameter newest: where the log ends in the current numbering; `nil` if it has nothing of it.
    private mutating func fill(_ gap: Gap, with events: [LogEvent], end newest: Int64? = nil) -> Repair {
        var repair = Repair()
        // Held events of a former numbering are left to the clients, which load again what may be invalid.
        var bySeq: [Int64: LogEvent] = [:]
        for event in gap.held + events where event.position.epoch == epoch { bySeq[event.position.seq] = event }
        // A full result may not be all that the log has: held events beyond it wait.
        let isAll = events.count < Self.readLimit
        let end = isAll ? Int64.max : events.last?.position.seq ?? 0
        var beyond: [LogEvent] = []
        for (seq, event) in bySeq.sorted(by: { $0.key < $1.key }) where seq >= next ?? seq {
            guard seq <= end, seq <= max(newest ?? .max, next ?? seq) else {
                // What came after the reading began may have been appended after it. What came before, and is above the
                // end of the log, was published by another program, or the log has lost it.
                if !isAll || seq > gap.seen { beyond.append(event) }
                continue
            }
            if repair.renumbering == nil { repair.renumbering = renumber(from: seq) }
            repair.lost += seq - (next ?? seq)
            repair.events.append(event)
            next = seq + 1
        }
        if next == nil, let newest, bySeq.isEmpty {
            // The log has the end of the thread from the store.
            repair.renumbering = renumber(from: newest + 1)
            next = newest + 1
        }
        self.gap = nil
        if !isAll || !beyond.isEmpty || gap.reading == .goodSoFar {
            self.gap = Gap(held: beyond)
            self.gap?.beginReading(in: epoch)
            repair.readAfter = (next ?? 1) - 1
        }
        return repair
    }

    /// The current numbering begins with this seq.
    private mutating func renumber(from first: Int64) -> Renumbering? {
        guard let lastOfFormer, let epoch else { return nil }
        let valid = validOfFormer
        (self.lastOfFormer, validOfFormer) = (nil, nil)
        return Renumbering(epoch: epoch, last: lastOfFormer, first: first, valid: valid)
    }

    /// The first event of another numbering. Where it begins is not known, so the log is read from its beginning.
    private mutating func beginEpoch(_ theirs: Epoch, with event: LogEvent) -> Verdict {
        let isReading = gap != nil
        if !isReading { gap = Gap() }
        begin(theirs)
        gap?.hold(event)
        if isReading { gap?.reading = .useless } else { gap?.beginReading(in: theirs) }
        return isReading ? .hold : .repair(after: 0)
    }

    private mutating func begin(_ theirs: Epoch) {
        if let epoch { formerEpochs = (formerEpochs + [epoch]).suffix(Self.formerEpochsLimit) }
        if let next { lastOfFormer = next - 1 }
        epoch = theirs
        next = nil
    }
}

/// A thread's numbering has started over, since the log lost its data.
package struct Renumbering: Hashable, Sendable {
    /// The new numbering.
    package let epoch: Epoch
    /// Events delivered from this seq on in the former numbering may be invalid: the new numbering gave these seqs to
    /// other events, or to none.
    package let from: Int64
    /// The last seq that was delivered, or the last one before the new numbering. Less than `from` if nothing is
    /// invalid.
    package let to: Int64
    /// Everything that was delivered is known to be valid; from `from` on there may be events that were not.
    package let isContinued: Bool

    /// - Parameters:
    ///   - last: the last seq that was delivered in the former numbering.
    ///   - first: the first seq of the new numbering.
    ///   - valid: the last seq of the former numbering that is still valid; `nil` if it is not known.
    package init(epoch: Epoch, last: Int64, first: Int64, valid: Int64? = nil) {
        self.epoch = epoch
        isContinued = valid.map { $0 >= last } ?? false
        from = min(first, last + 1, valid.map { $0 + 1 } ?? .max)
        to = max(last, first - 1)
    }
}
