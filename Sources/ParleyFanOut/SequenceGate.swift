package import ParleyModel

/// Lets the events of one thread through in their order, each once, and notices when one is missing.
///
/// A value without a clock; its owner reads the log when told to `repair` and hands the answer in.
package struct SequenceGate: Sendable {
    package enum Verdict: Hashable, Sendable {
        /// Deliver the event that was offered.
        case deliver
        /// It was delivered before.
        case ignore
        /// It is kept back until the hole before it is filled.
        case hold
        /// As `hold`; read the log after this seq and call `repaired` or `repairFailed`.
        case repair(after: Int64)
    }

    /// What a repair brought.
    package struct Repair: Hashable, Sendable {
        /// In order, to be delivered now.
        package var events: [LogEvent] = []
        /// How many events are in neither the log nor our hands.
        package var lost: Int64 = 0
    }

    /// The most events kept back; beyond it the hole is given up.
    package static let holdLimit = 1000

    private enum State {
        case unknown
        case following(Epoch, next: Int64)
        case repairing(Epoch, next: Int64, held: [LogEvent])
    }

    private var state = State.unknown

    package init() {}

    /// The position up to which everything has been let through; `nil` before the first event.
    package var delivered: Position? {
        switch state {
        case .unknown: nil
        case .following(let epoch, let next), .repairing(let epoch, let next, _): Position(epoch: epoch, seq: next - 1)
        }
    }

    /// An event came from the bus.
    package mutating func offer(_ event: LogEvent) -> Verdict {
        let (epoch, seq) = (event.position.epoch, event.position.seq)
        switch state {
        case .unknown:
            state = .following(epoch, next: seq + 1)
            return .deliver
        case .following(let current, let next):
            // Another epoch is another numbering: nothing of the old one can follow any more.
            if current != epoch || seq == next {
                state = .following(epoch, next: seq + 1)
                return .deliver
            }
            if seq < next { return .ignore }
            state = .repairing(epoch, next: next, held: [event])
            return .repair(after: next - 1)
        case .repairing(let current, let next, var held):
            if current != epoch {
                state = .following(epoch, next: seq + 1)
                return .deliver
            }
            if seq < next { return .ignore }
            // Frees the state's reference, so that the append below does not copy the array.
            state = .unknown
            if held.count < Self.holdLimit { held.append(event) }
            state = .repairing(epoch, next: next, held: held)
            return .hold
        }
    }

    /// The log was read after the seq named by `repair`.
    package mutating func repaired(_ slice: LogSlice) -> Repair {
        guard case .repairing(let epoch, var next, let held) = state else { return Repair() }
        var candidates: [Int64: LogEvent] = [:]
        for event in held { candidates[event.position.seq] = event }
        if slice.epoch == epoch {
            for event in slice.events where event.position.seq >= next { candidates[event.position.seq] = event }
        }
        var repair = Repair()
        for (seq, event) in candidates.sorted(by: { $0.key < $1.key }) {
            repair.lost += seq - next
            repair.events.append(event)
            next = seq + 1
        }
        state = .following(epoch, next: next)
        return repair
    }

    /// The log could not be read: what is held goes out, what lies before it is given up.
    package mutating func repairFailed() -> Repair {
        repaired(LogSlice(epoch: nil, events: [], isTruncated: true))
    }
}
