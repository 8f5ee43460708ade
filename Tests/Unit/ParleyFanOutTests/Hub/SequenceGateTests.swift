import ParleyFanOut
import ParleyModel
import Testing

@Suite("The gate lets each event of a thread through once, in order")
struct SequenceGateTests {
    @Test("events in order are delivered as they come")
    func inOrder() {
        var run = GateRun()
        run.gate.begin(behind: nil)
        for event in GateRun.events(1...5) { #expect(run.offer(event) == .deliver) }
        #expect(run.gate.delivered == Position(epoch: Epoch("a"), seq: 5))
    }

    @Test("without a known end the first event is the beginning")
    func unknownBeginning() {
        var run = GateRun()
        #expect(run.gate.delivered == nil)
        #expect(run.gate.suspectGap() == nil)
        #expect(run.offer(GateRun.event(7)) == .deliver)
        #expect(run.offer(GateRun.event(6)) == .ignore)
        #expect(run.offer(GateRun.event(8)) == .deliver)
    }

    @Test("the end of the log is taken over only while nothing else is known")
    func begin() {
        var run = GateRun()
        run.gate.begin(behind: Position(epoch: Epoch("a"), seq: 4))
        #expect(run.offer(GateRun.event(4)) == .ignore)
        #expect(run.offer(GateRun.event(5)) == .deliver)
        run.gate.begin(behind: Position(epoch: Epoch("b"), seq: 9))
        #expect(run.gate.delivered == Position(epoch: Epoch("a"), seq: 5))
    }

    @Test("what was delivered or is before it is ignored")
    func duplicates() {
        var run = GateRun()
        run.gate.begin(behind: nil)
        for event in GateRun.events(1...3) { run.offer(event) }
        for event in GateRun.events(1...3) { #expect(run.offer(event) == .ignore) }
        #expect(run.seqs == [1, 2, 3])
    }

    @Test("a hole is read from the log once, and what comes meanwhile waits")
    func gap() {
        var run = GateRun(log: GateRun.events(1...6))
        run.gate.begin(behind: nil)
        run.offer(GateRun.event(1))
        #expect(run.offer(GateRun.event(4)) == .repair(after: 1))
        #expect(run.offer(GateRun.event(5)) == .hold)
        #expect(run.offer(GateRun.event(1)) == .ignore)
        run.log = GateRun.events(1...4)
        run.answerOnce()
        #expect(run.seqs == [1, 2, 3, 4, 5])
        #expect(run.reading == nil)
        #expect(run.lost == 0)
        #expect(run.offer(GateRun.event(6)) == .deliver)
    }

    @Test("what was missed during a reading is read too, and is not taken for lost")
    func missedMeanwhile() {
        var run = GateRun(log: GateRun.events(1...7))
        for seq in [1, 2, 3, 4, 5, 7] as [Int64] { run.offer(GateRun.event(seq)) }
        #expect(run.reading == 5)
        // 9 is on its way into the log, and lost on the bus, while the log is being read.
        for seq in [8, 10, 11] as [Int64] { #expect(run.offer(GateRun.event(seq)) == .hold) }
        run.answerOnce()
        #expect(run.seqs == Array(1...8))
        #expect(run.reading == 8)
        run.log = GateRun.events(1...11)
        run.answerAll()
        #expect(run.seqs == Array(1...11))
        #expect(run.lost == 0)
        #expect(run.offer(GateRun.event(12)) == .deliver)
    }

    @Test("what comes over the bus and is above the end of the log is not delivered", arguments: [9, 1 << 53])
    func aboveTheLog(foreign: Int64) {
        var run = GateRun(log: GateRun.events(1...7))
        for seq in [1, 2, 3, 4, 5, 7, foreign] as [Int64] { run.offer(GateRun.event(seq)) }
        run.answerAll(limit: 2)
        #expect(run.reading == nil)
        #expect(run.seqs == Array(1...7))
        #expect(run.lost == 0)
        #expect(run.offer(GateRun.event(8)) == .deliver)
        // Without a gap before.
        run.log = GateRun.events(1...8)
        run.offer(GateRun.event(foreign + 1))
        run.answerAll()
        #expect(run.seqs == Array(1...8))
        #expect(run.offer(GateRun.event(9)) == .deliver)
    }

    @Test("what the log has no more is counted as lost, and the rest goes on")
    func truncatedLog() {
        var run = GateRun(log: GateRun.events(5...7))
        run.gate.begin(behind: nil)
        run.offer(GateRun.event(1))
        run.offer(GateRun.event(7))
        run.answerAll()
        #expect(run.seqs == [1, 5, 6, 7])
        #expect(run.lost == 3)
    }

    @Test("with the log away, only what continues the thread is delivered", arguments: [9, 1 << 53])
    func repairFails(foreign: Int64) {
        var run = GateRun()
        run.gate.begin(behind: nil)
        for seq: Int64 in [1, 4, 6, 5, foreign] { run.offer(GateRun.event(seq)) }
        run.fail()
        #expect(run.seqs == [1])
        #expect(run.lost == 4)
        // The events of the log are still let through, and what is missing is read once that is possible.
        #expect(run.offer(GateRun.event(2)) == .deliver)
        #expect(run.offer(GateRun.event(7)) == .repair(after: 2))
        for seq: Int64 in [3, 4, 8] { run.offer(GateRun.event(seq)) }
        run.fail()
        #expect(run.seqs == [1, 2, 3, 4])
        run.log = GateRun.events(1...9)
        run.offer(GateRun.event(9))
        run.answerAll()
        #expect(run.seqs == Array(1...9))
    }

    @Test("a numbering that the log does not know is not followed", arguments: [true, false])
    func foreignEpoch(isLogAway: Bool) {
        var run = GateRun(log: GateRun.events(1...4))
        run.gate.begin(behind: nil)
        for seq: Int64 in 1...3 { run.offer(GateRun.event(seq)) }
        #expect(run.offer(GateRun.event(1, "x")) == .repair(after: 0))
        // On its way already.
        #expect(run.offer(GateRun.event(4)) == .ignore)
        if isLogAway {
            run.fail()
            #expect(run.lost == 1)
            #expect(run.offer(GateRun.event(5)) == .repair(after: 3))
        }
        run.log = GateRun.events(1...5)
        run.answerAll()
        #expect(run.reading == nil)
        #expect(run.renumberings.isEmpty)
        #expect(run.delivered == GateRun.events(1...5).map(\.position))
        // A numbering that the log knows is followed afterwards.
        run.log = GateRun.events(6...6, "b")
        run.offer(GateRun.event(6, "b"))
        run.answerAll()
        #expect(run.delivered.last == Position(epoch: Epoch("b"), seq: 6))
        #expect(run.renumberings.count == 1)
    }

    @Test("after a doubt everything waits for the log")
    func suspectGap() {
        var run = GateRun(log: GateRun.events(1...4))
        run.gate.begin(behind: nil)
        run.offer(GateRun.event(1))
        #expect(run.gate.suspectGap() == 1)
        #expect(run.gate.suspectGap() == nil, "one reading at a time")
        #expect(run.offer(GateRun.event(2)) == .hold)
        let slice = LogSlice(epoch: Epoch("a"), events: GateRun.events(2...3), end: 3, isTruncated: false)
        let repair = run.gate.repaired(slice)
        #expect(repair.events.map(\.position.seq) == [2, 3])
        #expect(repair.readAfter == 3, "the second doubt came after the reading had begun")
    }

    @Test("a numbering that begins without events is told of, and its first event follows")
    func bareEpoch() {
        var run = GateRun(log: [])
        run.gate.begin(behind: Position(epoch: Epoch("a"), seq: 5))
        // The log was emptied, and has the end of the thread from the store.
        run.bareEnd = Position(epoch: Epoch("b"), seq: 3)
        run.suspectGap()
        run.answerAll()
        #expect(run.renumberings == [Renumbering(epoch: Epoch("b"), last: 5, first: 4)])
        #expect(run.gate.delivered == Position(epoch: Epoch("b"), seq: 3))
        #expect(run.offer(GateRun.event(4, "b")) == .deliver)
        #expect(run.offer(GateRun.event(6, "b")) == .repair(after: 4))
    }

    @Test("a numbering says how much of the former one is valid", arguments: [nil, 3, 5, 9] as [Int64?])
    func validOfFormer(_ valid: Int64?) {
        var gate = SequenceGate()
        gate.begin(behind: Position(epoch: Epoch("a"), seq: 5))
        #expect(gate.suspectGap() == 5)
        var slice = LogSlice(epoch: Epoch("b"), events: [], end: 7, isTruncated: false)
        slice.formerEpochs = valid.map { [Epoch("a"): $0] } ?? [:]
        #expect(gate.repaired(slice).readAfter == 0)
        let renumbering = gate.repaired(slice).renumbering
        #expect(renumbering == Renumbering(epoch: Epoch("b"), last: 5, first: 8, valid: valid))
        // Nothing is known to be left, two events are void, or all are valid: then 6 and 7 were not delivered.
        let from: Int64 = valid == 3 ? 4 : 6
        #expect(renumbering?.from == from && renumbering?.to == 7)
        #expect(renumbering?.isContinued == ((valid ?? 0) >= 5))
        #expect(gate.delivered == Position(epoch: Epoch("b"), seq: 7))
    }

    @Test("a numbering of which nothing was delivered vouches for nothing", arguments: [nil, 4, 5] as [Int64?])
    func validOfNumberingBetween(_ valid: Int64?) {
        var gate = SequenceGate()
        gate.begin(behind: Position(epoch: Epoch("a"), seq: 5))
        // Redis is lost again before the log of "b" is read.
        #expect(gate.offer(GateRun.event(6, "b")) == .repair(after: 0))
        var slice = LogSlice(epoch: Epoch("c"), events: GateRun.events(8...8, "c"), end: 8, isTruncated: false)
        slice.formerEpochs = [Epoch("b"): 7]
        slice.formerEpochs[Epoch("a")] = valid
        #expect(gate.repaired(slice).readAfter == 0)
        let repair = gate.repaired(slice)
        #expect(repair.renumbering == Renumbering(epoch: Epoch("c"), last: 5, first: 8, valid: valid))
        #expect(repair.renumbering?.isContinued == (valid == 5))
        #expect(repair.events.map(\.position.seq) == [8])
    }

    @Test("the numbering before two others goes on if the log still has it")
    func returnsOverNumberingBetween() {
        var gate = SequenceGate()
        gate.begin(behind: Position(epoch: Epoch("a"), seq: 5))
        _ = gate.offer(GateRun.event(6, "b"))
        let between = LogSlice(epoch: Epoch("c"), events: [], end: 0, isTruncated: false)
        #expect(gate.repaired(between).readAfter == 0)
        let back = LogSlice(epoch: Epoch("a"), events: GateRun.events(6...6), end: 6, isTruncated: false)
        #expect(gate.repaired(back).readAfter == 5)
        let repair = gate.repaired(back)
        #expect(repair.events.map(\.position.seq) == [6] && repair.renumbering == nil)
    }

    @Test("what was held back of a former numbering is not delivered, but in the range to be loaded again")
    func heldOfFormer() {
        var run = GateRun(log: GateRun.events(7...8, "b"))
        run.gate.begin(behind: Position(epoch: Epoch("a"), seq: 3))
        run.offer(GateRun.event(5))
        run.offer(GateRun.event(8, "b"))
        run.answerAll()
        #expect(run.seqs == [7, 8])
        #expect(run.renumberings == [Renumbering(epoch: Epoch("b"), last: 3, first: 7)])
        #expect(run.renumberings.first.map { $0.from...$0.to } == 4...6)
        #expect(run.lost == 0)
    }

    @Test("an event of the former numbering is late and ignored")
    func lateEpoch() {
        var run = GateRun(log: GateRun.events(1...2, "b"))
        run.gate.begin(behind: Position(epoch: Epoch("a"), seq: 3))
        run.offer(GateRun.event(2, "b"))
        #expect(run.offer(GateRun.event(4)) == .ignore, "while the log is read")
        run.answerAll()
        #expect(run.offer(GateRun.event(4)) == .ignore)
        #expect(run.gate.delivered == Position(epoch: Epoch("b"), seq: 2))
    }

    @Test("after two changes of the numbering an event of the first is still late")
    func lateAfterTwoEpochs() {
        var gate = SequenceGate()
        gate.begin(behind: Position(epoch: Epoch("a"), seq: 3))
        for epoch in ["b", "c"] {
            _ = gate.offer(GateRun.event(1, epoch))
            let events = GateRun.events(1...1, epoch)
            _ = gate.repaired(LogSlice(epoch: Epoch(epoch), events: events, end: 1, isTruncated: false))
        }
        #expect(gate.offer(GateRun.event(4)) == .ignore)
        #expect(gate.offer(GateRun.event(2, "c")) == .deliver)
    }

    @Test("a new numbering is read from its beginning")
    func newEpoch() {
        var run = GateRun(log: GateRun.events(1...3, "b"))
        run.gate.begin(behind: Position(epoch: Epoch("a"), seq: 8))
        #expect(run.offer(GateRun.event(3, "b")) == .repair(after: 0))
        run.answerAll()
        #expect(run.delivered == GateRun.events(1...3, "b").map(\.position))
        #expect(run.offer(GateRun.event(4, "b")) == .deliver)
    }

    @Test("a numbering that begins during a reading makes that reading useless")
    func newEpochWhileReading() {
        var run = GateRun(log: GateRun.events(1...5))
        run.gate.begin(behind: nil)
        run.offer(GateRun.event(1))
        run.offer(GateRun.event(5))
        #expect(run.offer(GateRun.event(1, "b")) == .hold)
        run.answerOnce()
        #expect(run.reading == 0)
        #expect(run.seqs == [1])
        run.log = GateRun.events(1...2, "b")
        run.answerAll()
        let expected = [GateRun.event(1), GateRun.event(1, "b"), GateRun.event(2, "b")]
        #expect(run.delivered == expected.map(\.position))
    }

    @Test("a numbering that only the log knows of is followed")
    func newEpochInTheLog() {
        var run = GateRun(log: GateRun.events(1...2, "b"))
        run.gate.begin(behind: Position(epoch: Epoch("a"), seq: 3))
        run.suspectGap()
        run.answerAll()
        #expect(run.delivered == GateRun.events(1...2, "b").map(\.position))
    }

    @Test("no more is held than the limit; the log has the rest", arguments: [-1, 0, 1, 500, 2500])
    func holdLimit(_ excess: Int) {
        let last = Int64(SequenceGate.holdLimit + 1 + excess)
        var run = GateRun(log: [GateRun.event(1)])
        run.gate.begin(behind: nil)
        run.offer(GateRun.event(2))
        for event in GateRun.events(3...last) { #expect(run.offer(event) == .hold) }
        // A reading as of before all of them.
        run.answerOnce()
        #expect(run.seqs == Array(1...min(last, Int64(SequenceGate.holdLimit) + 1)))
        #expect((run.reading != nil) == (excess > 0))
        run.log = GateRun.events(1...last)
        run.answerAll()
        #expect(run.seqs == Array(1...last))
        #expect(run.lost == 0)
    }

    /// When the log answers.
    enum Reply: CaseIterable {
        case atOnce, afterTheNextEvent, atTheEnd
    }

    @Test("five events in any order, any of them missing or doubled, come out as the log has them")
    func exhaustive() {
        let log = GateRun.events(1...5)
        var runs = 0
        for order in permutations(Array(0..<5)) {
            for choice in 0..<243 {
                // Base 3, per event: missing, once, twice.
                var rest = choice
                let copies = (0..<5).map { _ in
                    defer { rest /= 3 }
                    return rest % 3
                }
                let once = order.filter { copies[$0] > 0 }
                let adjacent = once.flatMap { Array(repeating: $0, count: copies[$0]) }
                let late = once + once.filter { copies[$0] == 2 }
                for offered in adjacent == late ? [late] : [adjacent, late] {
                    for reply in Reply.allCases {
                        runs += 1
                        let seqs = run(offered.map { log[$0] }, log, reply)
                        guard seqs == [1, 2, 3, 4, 5] else {
                            Issue.record("offered \(offered.map { $0 + 1 }), answer \(reply): delivered \(seqs)")
                            return
                        }
                    }
                }
            }
        }
        #expect(runs > 120 * 243 * 3)
    }

    private func run(_ offered: [LogEvent], _ log: [LogEvent], _ reply: Reply) -> [Int64] {
        var run = GateRun(log: log)
        run.gate.begin(behind: nil)
        for event in offered {
            let wasReading = run.reading != nil
            run.offer(event)
            if reply == .atOnce || reply == .afterTheNextEvent && wasReading { run.answerOnce() }
        }
        run.answerAll()
        // The connection is cut at the end, so that what is missing there is noticed.
        run.suspectGap()
        run.answerAll()
        return run.seqs
    }

    private func permutations(_ items: [Int]) -> [[Int]] {
        guard let first = items.first else { return [[]] }
        return permutations(Array(items.dropFirst())).flatMap { rest in
            (0...rest.count).map { place in
                var permutation = rest
                permutation.insert(first, at: place)
                return permutation
            }
        }
    }
}
