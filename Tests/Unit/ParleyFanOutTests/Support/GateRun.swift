import ParleyFanOut
import ParleyModel
import ParleyTestContracts

/// A gate with its log: what the hub does with the verdicts, without a loop.
struct GateRun {
    static let thread = Samples.thread("gate")

    var gate = SequenceGate()
    /// What the log answers; of one epoch.
    var log: [LogEvent]
    /// What the log answers of a thread of which it has the end and no events.
    var bareEnd: Position?
    private(set) var renumberings: [Renumbering] = []
    private(set) var delivered: [Position] = []
    private(set) var lost: Int64 = 0
    /// The seq that the log is being read after.
    private(set) var reading: Int64?

    init(log: [LogEvent] = []) {
        self.log = log
    }

    static func event(_ seq: Int64, _ epoch: String = "a") -> LogEvent {
        Samples.event("\(seq)", in: thread, seq: seq, epoch: epoch)
    }

    static func events(_ seqs: ClosedRange<Int64>, _ epoch: String = "a") -> [LogEvent] {
        seqs.map { event($0, epoch) }
    }

    @discardableResult
    mutating func offer(_ event: LogEvent) -> SequenceGate.Verdict {
        let verdict = gate.offer(event)
        switch verdict {
        case .deliver: delivered.append(event.position)
        case .ignore, .hold: break
        case .repair(let after): reading = after
        }
        return verdict
    }

    mutating func suspectGap() {
        if let after = gate.suspectGap() { reading = after }
    }

    /// The log answers one reading.
    mutating func answerOnce() {
        guard let after = reading else { return }
        let events = log.filter { $0.position.seq > after }.prefix(SequenceGate.readLimit)
        let end = log.last?.position ?? bareEnd
        take(
            gate.repaired(
                LogSlice(epoch: end?.epoch, events: Array(events), end: end?.seq ?? 0, isTruncated: false)))
    }

    mutating func fail() {
        take(gate.repairFailed())
    }

    /// The log answers until nothing is read; at most `limit` times.
    mutating func answerAll(limit: Int = 10) {
        for _ in 0..<limit where reading != nil { answerOnce() }
    }

    private mutating func take(_ repair: SequenceGate.Repair) {
        delivered += repair.events.map(\.position)
        lost += repair.lost
        if let renumbering = repair.renumbering { renumberings.append(renumbering) }
        reading = repair.readAfter
    }

    var seqs: [Int64] { delivered.map(\.seq) }
}
