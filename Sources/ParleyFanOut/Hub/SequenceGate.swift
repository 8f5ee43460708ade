package import ParleyModel

/// Lets the events of one thread through in their order, each once, and notices when one is missing.
///
/// A value without a clock; its owner reads the log when told to and hands the answer in by `repaired` or
/// `repairFailed`. One reading is under way at a time; until its answer is there, events are kept back.
package struct SequenceGate: Sendable {
    package enum Verdict: Hashable, Sendable {
        /// Deliver the event that was offered.
        case deliver
        /// It was delivered before, or belongs to a numbering that is over.
        case ignore
        /// It is kept back until the log has been read.
        case hold
        /// As `hold`; read the log after this seq.
        case repair(after: Int64)
    }

    /// What a reading of the log brought.
    package struct Repair: Hashable, Sendable {
        /// In order, to be delivered now.
        package var events: [LogEvent] = []
        /// How many events are in neither the log nor our hands.
        package var lost: Int64 = 0
        /// If not `nil`, the log is to be read once more, after this seq.
        package var readAfter: Int64?
        /// If not `nil`, the numbering has started over before the first of `events`.
        package var renumbering: Renumbering?
    }

    /// The most events kept back; more are left to the log.
    package static let holdLimit = 1000
    /// The most events to ask the log for at once.
    package static let readLimit = 1000
    /// How many former numberings are remembered.
    private static let formerEpochsLimit = 8

    /// The numbering that is followed; `nil` while nothing is known of the thread, or it is known to be without events.
    private var epoch: Epoch?
    /// The seq that comes next; `nil` if that is not known, so that whatever comes is taken.
    private var next: Int64?
    /// The numberings before this one, newest last: what still arrives of them is late.
    private var formerEpochs: [Epoch] = []
    /// `nil` unless the log is being read.
    private var gap: Gap?
    /// The last seq that was let through before the numbering started over, until the new one's first is.
    private var lastOfFormer: Int64?

    private struct Gap {
        var held: [LogEvent] = []
        var reading = Reading.good
        /// The newest seq that was held when the reading began, so that the log had it.
        private(set) var seen: Int64 = 0

        /// A reading of the numbering `epoch` begins.
        mutating func ask(in epoch: Epoch?) {
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

    /// What the reading under way is worth.
    private enum Reading {
        case good
        /// More came that it may not see: another one must follow.
        case goodSoFar
        /// It asks for what follows in a numbering that is over.
        case useless
    }

    package init() {}

    /// The position up to which everything has been let through; `nil` if that is nothing, or not known.
    package var delivered: Position? {
        guard let epoch, let next else { return nil }
        return Position(epoch: epoch, seq: next - 1)
    }

    /// Whether `delivered` is known, be it that the thread has no events.
    package var isPlaced: Bool { next != nil }

    /// Begins behind the end of the log as it was at some moment after the subscription: what comes later is not
    /// missed even if its first event is. Nothing happens if an event has come already.
    /// - Parameter head: `nil` for a thread without events.
    package mutating func begin(behind head: Position?) {
        guard next == nil, gap == nil, epoch == nil else { return }
        epoch = head?.epoch
        next = (head?.seq ?? 0) + 1
    }

    /// An event came from the bus.
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
        gap?.ask(in: epoch)
        return .repair(after: next - 1)
    }

    /// Something may have been missed: everything from now on is kept back until the log has been read.
    /// - Returns: after which seq to read the log; `nil` if that is under way, or there is nothing to compare with.
    package mutating func doubt() -> Int64? {
        guard gap == nil else {
            if gap?.reading == .good { gap?.reading = .goodSoFar }
            return nil
        }
        guard let next else { return nil }
        gap = Gap()
        return next - 1
    }

    /// The log was read, after the seq that was last asked for, with `readLimit`.
    package mutating func repaired(_ slice: LogSlice) -> Repair {
        guard let gap else { return Repair() }
        if gap.reading == .useless {
            self.gap?.ask(in: epoch)
            return Repair(readAfter: (next ?? 1) - 1)
        }
        if let theirs = slice.epoch, !formerEpochs.contains(theirs) {
            if epoch == nil { epoch = theirs }
            if theirs != epoch {
                begin(theirs)
                self.gap?.ask(in: epoch)
                return Repair(readAfter: 0)
            }
        }
        guard slice.epoch == epoch else { return fill(gap, with: []) }
        return fill(gap, with: slice.events, end: slice.end)
    }

    /// The log could not be read: what is held goes out, what lies before it is given up.
    package mutating func repairFailed() -> Repair {
        guard let gap else { return Repair() }
        return fill(Gap(held: gap.held), with: [])
    }

    /// - Parameter newest: where the log ends in the numbering that is followed; `nil` if it has nothing of that.
    private mutating func fill(_ gap: Gap, with events: [LogEvent], end newest: Int64? = nil) -> Repair {
        var repair = Repair()
        // What is held of a former numbering is left to whoever loads what may be void.
        var bySeq: [Int64: LogEvent] = [:]
        for event in gap.held + events where event.position.epoch == epoch { bySeq[event.position.seq] = event }
        // A full answer may not be all that the log has: what is held beyond it has to wait.
        let isAll = events.count < Self.readLimit
        let end = isAll ? Int64.max : events.last?.position.seq ?? 0
        // What is missing above the end of the log as it was read may have been appended since.
        let known = newest.map { max($0, gap.seen) } ?? .max
        var beyond: [LogEvent] = []
        for (seq, event) in bySeq.sorted(by: { $0.key < $1.key }) where seq >= next ?? seq {
            guard seq <= end, seq <= max(known, next ?? seq) else {
                beyond.append(event)
                continue
            }
            if repair.renumbering == nil { repair.renumbering = renumber(from: seq) }
            repair.lost += seq - (next ?? seq)
            repair.events.append(event)
            next = seq + 1
        }
        if next == nil, let newest, bySeq.isEmpty {
            // The log knows from the store where the thread ends.
            repair.renumbering = renumber(from: newest + 1)
            next = newest + 1
        }
        self.gap = nil
        if !isAll || !beyond.isEmpty || gap.reading == .goodSoFar {
            self.gap = Gap(held: beyond)
            self.gap?.ask(in: epoch)
            repair.readAfter = (next ?? 1) - 1
        }
        return repair
    }

    /// The numbering that is followed begins with this seq.
    private mutating func renumber(from first: Int64) -> Renumbering? {
        guard let lastOfFormer, let epoch else { return nil }
        self.lastOfFormer = nil
        return Renumbering(epoch: epoch, last: lastOfFormer, first: first)
    }

    /// The first event of another numbering: where that begins is not known, so the log is read from its beginning.
    private mutating func beginEpoch(_ theirs: Epoch, with event: LogEvent) -> Verdict {
        let isReading = gap != nil
        if !isReading { gap = Gap() }
        begin(theirs)
        gap?.hold(event)
        if isReading { gap?.reading = .useless } else { gap?.ask(in: theirs) }
        return isReading ? .hold : .repair(after: 0)
    }

    private mutating func begin(_ theirs: Epoch) {
        if let epoch { formerEpochs = (formerEpochs + [epoch]).suffix(Self.formerEpochsLimit) }
        if let next { lastOfFormer = next - 1 }
        epoch = theirs
        next = nil
    }
}
