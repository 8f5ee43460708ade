import ParleySimulator
import Testing

@Suite struct PlanTests {
    @Test("a seed makes the same plan each time, and another seed another one")
    func seeds() {
        #expect(Plan(seed: 5).script == Plan(seed: 5).script)
        #expect(Plan(seed: 5).script != Plan(seed: 6).script)
    }

    @Test("every kind of command is drawn by some seed, and none by all but sends")
    func swarm() {
        let plans = (1...40 as ClosedRange<UInt64>).map { Plan(seed: $0) }
        for kind in Plan.Command.Kind.allCases {
            let users = plans.filter { plan in plan.commands.contains { $0.kind == kind } }
            #expect(!users.isEmpty, "\(kind)")
            #expect(kind == .send || kind == .sendStored || users.count < plans.count, "\(kind)")
        }
    }

    @Test("faults and commands lie between the calm at the beginning and the end")
    func times() {
        for seed in 1...40 as ClosedRange<UInt64> {
            let plan = Plan(seed: seed)
            for fault in plan.faults { #expect(fault.at >= plan.calm && fault.at + fault.lasts <= plan.end) }
            for command in plan.commands { #expect(command.at >= 0 && command.at <= plan.end) }
            #expect(plan.end - plan.calm >= 60_000_000_000)
        }
    }

    @Test("a plan that fails is reduced to what makes it fail")
    func shrinking() throws {
        /// Fails if there is a power failure and a send of the first user after it.
        @Sendable func fails(_ plan: Plan) -> Bool {
            guard let failure = plan.faults.first(where: { $0.kind == .powerFailure }) else { return false }
            return plan.commands.contains { $0.user == 0 && $0.kind == .send && $0.at > failure.at }
        }
        let plan = try #require(
            (1...100 as ClosedRange<UInt64>).lazy.map { Plan(seed: $0) }.first { $0.faults.count > 4 && fails($0) })
        var shrinker = Shrinker(fails: fails)
        let small = shrinker.shrink(plan)
        #expect(small.faults.count == 1 && small.faults.first?.kind == .powerFailure)
        #expect(small.commands.count == 1 && small.commands.first?.user == 0)
        #expect(shrinker.attempts <= 600)
    }
}
