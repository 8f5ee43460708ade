import ParleyBots
import Testing

@Suite("The checker finds planted faults and nothing else")
struct CheckerTests {
    @Test("each planted fault is found and named", arguments: CheckerFault.faults, [false, true])
    func finds(plant: CheckerFault, isClassic: Bool) throws {
        if let only = plant.isClassic, only != isClassic { return }
        var scenario = Scenario(isClassic: isClassic)
        plant.change(&scenario)
        let found = scenario.verdict().violations.first
        let named = found.contains {
            $0.kind == plant.kind && $0.seq == plant.seq && (plant.bot == nil || $0.bot == plant.bot)
                && (plant.seq == nil || $0.thread == 0)
        }
        #expect(named, "\(plant.name): \(found)")
    }

    @Test("a sound history has no violation", arguments: [false, true])
    func sound(isClassic: Bool) {
        let verdict = Scenario(isClassic: isClassic).verdict()
        #expect(verdict.violations.first == [])
        #expect(verdict.isSound)
        #expect((verdict.events, verdict.acks, verdict.memberships, verdict.unreadCounts) == (10, 10, 2, 2))
    }

    @Test("harmless deviations are no violation", arguments: CheckerFault.harmless, [false, true])
    func allows(plant: CheckerFault, isClassic: Bool) {
        if let only = plant.isClassic, only != isClassic { return }
        var scenario = Scenario(isClassic: isClassic)
        plant.change(&scenario)
        #expect(scenario.verdict().violations.first == [], "\(plant.name)")
    }

    // MARK: Logs that start over

    /// Redis is flushed after the tenth message; 9 and 10 were not stored. A new epoch continues with 9.
    private func flushed(mayRollBack: Bool, isStored: Bool = false) -> Scenario {
        var scenario = Scenario(isClassic: false)
        scenario.mayRollBack = mayRollBack
        scenario.events.append(.acked(message: 10, seq: 10, isStored: isStored))
        for bot in 0...1 { scenario.events.append(.rolledBack(bot: bot, from: 9)) }
        for bot in 0...1 { scenario.events.append(.saw(bot: bot, seq: 9, message: 11, epoch: "e2")) }
        scenario.history.removeLast(2)
        scenario.history.append(.init(epoch: "e2", seq: 9, tag: Scenario.tag(11)))
        scenario.unread = []
        return scenario
    }

    @Test("a log that starts over may lose what was not stored, if that is allowed")
    func allowedToStartOver() {
        let verdict = flushed(mayRollBack: true).verdict()
        #expect(verdict.violations.first == [])
        #expect(verdict.rolledBackAcks == 2)
        #expect(!flushed(mayRollBack: false).verdict().isSound)
    }

    @Test("messages acknowledged as stored must not be lost, even then")
    func storedIsStored() {
        let found = flushed(mayRollBack: true, isStored: true).verdict().violations.first
        #expect(found.contains { $0.kind == .lost && $0.seq == 10 && $0.bot == 0 })
    }

    /// The flush of `flushed`, but the store was writing 9 when it was sent again and got 10 in the new epoch.
    private func flushedWhileStoring() -> Scenario {
        var scenario = Scenario(isClassic: false)
        scenario.mayRollBack = true
        for bot in 0...1 { scenario.events.append(.rolledBack(bot: bot, from: 10)) }
        for (seq, message) in [(10, 11), (11, 9), (12, 12)] as [(Int64, Int)] {
            for bot in 0...1 { scenario.events.append(.saw(bot: bot, seq: seq, message: message, epoch: "e2")) }
            scenario.events.append(.acked(message: message, seq: seq, epoch: "e2"))
        }
        scenario.history.removeLast()
        for (seq, message) in [(10, 11), (12, 12)] as [(Int64, Int)] {
            scenario.history.append(.init(epoch: "e2", seq: seq, tag: Scenario.tag(message)))
        }
        scenario.unread = []
        return scenario
    }

    @Test("a message stored before it was sent again leaves its second seq empty")
    func sentAgain() {
        #expect(flushedWhileStoring().verdict().violations.first == [])
        var scenario = flushedWhileStoring()
        scenario.mayRollBack = false
        #expect(scenario.verdict().violations.first.contains { $0.kind == .gap && $0.seq == 12 })
        scenario = flushedWhileStoring()
        scenario.history.removeAll { $0.seq == 9 }
        #expect(scenario.verdict().violations.first.contains { $0.kind == .gap && $0.seq == 12 })
    }

    // MARK: Bounds

    @Test("every violation is counted, the first 200 are kept")
    func manyViolations() {
        var violations = Violations()
        for seq in 1...1000 as ClosedRange<Int64> { violations.add(GuaranteeViolation(.gap, thread: 0, seq: seq, "")) }
        #expect(violations.total == 1000)
        #expect(violations.first.count == Violations.kept)
        var more = Violations()
        more.add(GuaranteeViolation(.lost, ""))
        more.add(violations)
        #expect(more.total == 1001)
        #expect(more.first.count == Violations.kept)
        #expect(more.first.first?.kind == .lost)
    }

    @Test("a seq far from all others is a violation and takes no memory")
    func farSeq() {
        var scenario = Scenario(isClassic: false)
        scenario.events.append(.saw(bot: 0, seq: .max, message: 12))
        let found = scenario.verdict().violations.first
        #expect(found.contains { $0.kind == .seqReused && $0.seq == .max })
    }

    @Test("pages read backwards keep earlier sightings")
    func backwards() {
        var scenario = Scenario(isClassic: false)
        scenario.events = [.opened(bot: 0, seq: 10), .opened(bot: 1, seq: 10)]
        for seq in (1...10).reversed() { scenario.events.append(.fetched(bot: 0, seq: Int64(seq), message: seq)) }
        #expect(scenario.verdict().violations.first == [])
        scenario.events.append(.fetched(bot: 0, seq: 1, message: 3))
        #expect(scenario.verdict().violations.first.contains { $0.kind == .seqReused && $0.seq == 1 })
    }

    // MARK: Random

    @Test("an event dropped, doubled or moved at random is found")
    func random() {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("CheckerTests seed \(seed)")
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            var scenario = Scenario(isClassic: random.happens(0.5))
            let sightings = scenario.events.indices.filter {
                if case .saw(0, _, _, _) = scenario.events[$0] { true } else { false }
            }
            let index = sightings[Int.random(in: sightings.indices, using: &random)]
            switch Int.random(in: 0...2, using: &random) {
            case 0: scenario.events.remove(at: index)
            case 1: scenario.events.insert(scenario.events[index], at: index)
            default:
                let other = sightings[Int.random(in: sightings.indices, using: &random)]
                guard other != index else { continue }
                scenario.events.swapAt(index, other)
            }
            #expect(!scenario.verdict().isSound, "\(scenario.events)")
        }
    }
}
