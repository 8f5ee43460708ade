package import ParleyModel

/// Passes the events of one thread in order, each once, and detects gaps.
///
/// The gate is a value without a clock. Its owner reads the log when a verdict requires it, and passes the result to
/// `repaired` or `repairFailed`. One read is in progress at a time; events are held until its result arrives.
package struct SequenceGate: Sendable {
    package enum Verdict: Hashable, Sendable {
        /// Deliver the offered event.
        case deliver
        /// Ignore the event: it was already delivered, or belongs to an earlier numbering.
        case ignore
        /// Hold the event until the log is read.
        case hold
        /// Hold the event, and read the log after this `seq`.
        case repair(after: Int64)
    }

    /// The result of a log read.
    package struct Repair: Hashable, Sendable {
        /// The events to deliver now, in order.
        package var events: [LogEvent] = []
        /// The number of events that are neither in the log nor held.
        package var lost: Int64 = 0
        /// The `seq` to read the log after once more, if not `nil`.
        package var readAfter: Int64?
        /// The new numbering, if the numbering has started over before the first of `events`.
        package var renumbering: Renumbering?
    }

    /// The maximum number of held events. Further events are read from the log.
    package static let holdLimit = 1000
    /// The maximum number of events in a read.
    package static let readLimit = 1000
    /// The number of earlier numberings that are remembered.
    private static let formerEpochsLimit = 8

    /// The current numbering; `nil` for a thread that is unknown or has no events.
    private var epoch: Epoch?
    /// The next `seq`; `nil` if it is unknown, so that any `seq` is accepted.
    private var next: Int64?
    /// The earlier numberings, newest last. Their events are late.
    private var formerEpochs: [Epoch] = []
    /// The gap that is being read; `nil` if there is none.
    private var gap: Gap?
    /// The position that events were passed up to before the current numbering, until its first `seq` is known. No event
    /// of the numberings in between was passed.
    private var former: Position?
    /// The last `seq` of the numbering of `former` that is still valid, if the log knows it.
    private var validOfFormer: Int64?

    private struct Gap {
        var held: [LogEvent] = []
        var reading = Reading.good
        /// The newest `seq` that was held when the read began. The read contains everything that the log had published
        /// up to it.
        private(set) var seen: Int64 = 0

        /// Notes that a read of this numbering begins.
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

    /// The coverage of the read in progress.
    private enum Reading {
        case good
        /// Events arrived that the read may not include. Another read must follow.
        case goodSoFar
        /// The read begins after a `seq` of an earlier numbering.
        case useless
    }

    package init() {}

    /// The position that all events have been passed up to; `nil` if there are no events, or if the position is
    /// unknown.
    package var delivered: Position? {
        guard let epoch, let next else { return nil }
        return Position(epoch: epoch, seq: next - 1)
    }

    /// Whether `delivered` is known. It is known for a thread without events.
    package var isPlaced: Bool { next != nil }

    /// Sets the position to the end of the log, which was read after the subscription. A gap is then detected even if
    /// the next event is missing. Does nothing if an event has already arrived.
    /// - Parameter head: The end of the log; `nil` for a thread without events.
    package mutating func begin(behind head: Position?) {
        guard next == nil, gap == nil, epoch == nil else { return }
        epoch = head?.epoch
        next = (head?.seq ?? 0) + 1
    }

    /// Handles an event.
    package mutating func offer(_ event: LogEvent) -> Verdict {
        let (newEpoch, seq) = (event.position.epoch, event.position.seq)
        if formerEpochs.contains(newEpoch) { return .ignore }
        if epoch == nil { epoch = newEpoch }
        guard newEpoch == epoch else { return beginEpoch(newEpoch, with: event) }
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

    /// Notes that events may be missing. All further events are held until the log is read.
    /// - Returns: The `seq` to read the log after; `nil` if a read is in progress, or the position is unknown.
    package mutating func suspectGap() -> Int64? {
        guard gap == nil else {
            if gap?.reading == .good { gap?.reading = .goodSoFar }
            return nil
        }
        guard let next else { return nil }
        gap = Gap()
        return next - 1
    }

    /// Handles the log read after the `seq` of the last verdict, with `readLimit`.
    package mutating func repaired(_ slice: LogSlice) -> Repair {
        guard let gap else { return Repair() }
        if gap.reading == .useless {
            self.gap?.beginReading(in: epoch)
            return Repair(readAfter: (next ?? 1) - 1)
        }
        // What is held was appended before this reading, or is not from the log.
        if slice.epoch != nil, slice.epoch == former?.epoch, let after = returnToFormerEpoch() {
            self.gap = Gap()
            return Repair(readAfter: after)
        }
        if let newEpoch = slice.epoch, !formerEpochs.contains(newEpoch) {
            if epoch == nil { epoch = newEpoch }
            if newEpoch != epoch {
                begin(newEpoch)
                validOfFormer = former.flatMap { slice.formerEpochs[$0.epoch] }
                self.gap?.beginReading(in: epoch)
                return Repair(readAfter: 0)
            }
        }
        guard slice.epoch == epoch else { return fill(gap, with: []) }
        if let former { validOfFormer = slice.formerEpochs[former.epoch] }
        return fill(gap, with: slice.events, end: slice.end)
    }

    /// The log could not be read: held events that continue what was let through are delivered. The others may be of
    /// another program, so they are given up, and the position stays: the next event has the log read again.
    package mutating func repairFailed() -> Repair {
        guard let gap else { return Repair() }
        if returnToFormerEpoch() != nil {
            self.gap = nil
            return Repair(lost: Int64(gap.held.count))
        }
        guard next != nil else { return fill(Gap(held: gap.held), with: []) }
        self.gap = nil
        var repair = Repair()
        for event in gap.held.sorted(by: { $0.position.seq < $1.position.seq }) where event.position.epoch == epoch {
            guard let next, event.position.seq >= next else { continue }
            guard event.position.seq == next else {
                repair.lost += 1
                continue
            }
            repair.events.append(event)
            self.next = next + 1
        }
        return repair
    }

    /// The log ends far below what was let through, which another program has published.
    package mutating func retreat(to end: Position) {
        guard epoch == end.epoch else { return }
        (gap, next) = (nil, end.seq + 1)
    }

    /// Continues the former numbering if no event of the present one was let through.
    /// - Returns: the last seq that was let through; `nil`, without a change, if it is not known.
    private mutating func returnToFormerEpoch() -> Int64? {
        guard next == nil, let back = former, let place = formerEpochs.lastIndex(of: back.epoch) else { return nil }
        formerEpochs.removeSubrange(place...)
        (epoch, next) = (back.epoch, back.seq + 1)
        (former, validOfFormer) = (nil, nil)
        return back.seq
    }

    /// - Parameter newest: The end of the log in the current numbering; `nil` if the log has no events of it.
    private mutating func fill(_ gap: Gap, with events: [LogEvent], end newest: Int64? = nil) -> Repair {
        var repair = Repair()
        // Clients handle held events of an earlier numbering: they reload the events that may be invalid.
        var bySeq: [Int64: LogEvent] = [:]
        for event in gap.held + events where event.position.epoch == epoch { bySeq[event.position.seq] = event }
        // A full result may not be complete, so held events after it wait.
        let isAll = events.count < Self.readLimit
        let end = isAll ? Int64.max : events.last?.position.seq ?? 0
        var beyond: [LogEvent] = []
        for (seq, event) in bySeq.sorted(by: { $0.key < $1.key }) where seq >= next ?? seq {
            guard seq <= end, seq <= max(newest ?? .max, next ?? seq) else {
                // An event that arrived after the read began may have been appended after the read. An earlier event
                // above the end of the log was published by another program, or the log has lost it.
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

    /// Starts the current numbering at a `seq`.
    private mutating func renumber(from first: Int64) -> Renumbering? {
        guard let last = former?.seq, let epoch else { return nil }
        let valid = validOfFormer
        (former, validOfFormer) = (nil, nil)
        return Renumbering(epoch: epoch, last: last, first: first, valid: valid)
    }

    /// Handles the first event of another numbering. Its beginning is unknown, so the log is read from its start.
    private mutating func beginEpoch(_ newEpoch: Epoch, with event: LogEvent) -> Verdict {
        let isReading = gap != nil
        if !isReading { gap = Gap() }
        begin(newEpoch)
        gap?.hold(event)
        if isReading { gap?.reading = .useless } else { gap?.beginReading(in: newEpoch) }
        return isReading ? .hold : .repair(after: 0)
    }

    private mutating func begin(_ newEpoch: Epoch) {
        if let epoch { formerEpochs = (formerEpochs + [epoch]).suffix(Self.formerEpochsLimit) }
        if let epoch, let next { former = Position(epoch: epoch, seq: next - 1) }
        epoch = newEpoch
        next = nil
    }
}

/// A new numbering of a thread, because the log has lost its data.
package struct Renumbering: Hashable, Sendable {
    /// The new numbering.
    package let epoch: Epoch
    /// The events of the previous numbering from this `seq` on may be invalid: the new numbering gave these `seq`s to
    /// other events, or to none.
    package let from: Int64
    /// The last delivered `seq`, or the last one before the new numbering. It is less than `from` if no event is
    /// invalid.
    package let to: Int64
    /// Whether everything that was delivered is known to be valid. Events that were not delivered may exist from `from`
    /// on.
    package let isContinued: Bool

    /// - Parameters:
    ///   - last: The last delivered `seq` of the previous numbering.
    ///   - first: The first `seq` of the new numbering.
    ///   - valid: The last `seq` of the previous numbering that is still valid; `nil` if it is unknown.
    package init(epoch: Epoch, last: Int64, first: Int64, valid: Int64? = nil) {
        self.epoch = epoch
        isContinued = valid.map { $0 >= last } ?? false
        from = min(first, last + 1, valid.map { $0 + 1 } ?? .max)
        to = max(last, first - 1)
    }
}
