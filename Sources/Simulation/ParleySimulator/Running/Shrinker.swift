/// Reduces a plan that fails to a short one that fails in the same way.
package struct Shrinker {
    private let fails: (Plan) -> Bool
    /// The number of plans tried.
    package private(set) var attempts = 0
    private let limit: Int

    /// - Parameters:
    ///   - limit: the most attempts.
    ///   - fails: runs a plan, and says whether it fails in the same way.
    package init(limit: Int = 600, fails: @escaping (Plan) -> Bool) {
        self.limit = limit
        self.fails = fails
    }

    package mutating func shrink(_ plan: Plan) -> Plan {
        var plan = plan
        for change in Self.simplifications { plan = attempt(plan, change) }
        var before = -1
        while before != plan.faults.count + plan.commands.count {
            before = plan.faults.count + plan.commands.count
            reduce(&plan, \.faults)
            reduce(&plan, \.commands)
        }
        for index in plan.faults.indices {
            plan = attempt(plan) { $0.faults[index].lasts /= 4 }
        }
        // The rest of the time is not needed.
        let last = max(plan.faults.map { $0.at + $0.lasts }.max() ?? 0, plan.commands.map(\.at).max() ?? 0)
        return attempt(plan) { $0.end = last + 1_000_000_000 }
    }

    private static let simplifications: [@Sendable (inout Plan) -> Void] = [
        { $0.skew = 0 }, { $0.lateOnceIn = 0 }, { $0.holdsUpOnceIn = 0 }, { $0.syncsAlways = false },
    ]

    private mutating func attempt(_ plan: Plan, _ change: (inout Plan) -> Void) -> Plan {
        guard attempts < limit else { return plan }
        var smaller = plan
        change(&smaller)
        attempts += 1
        return fails(smaller) ? smaller : plan
    }

    /// Leaves out ever smaller parts of a list.
    private mutating func reduce<Element>(_ plan: inout Plan, _ list: WritableKeyPath<Plan, [Element]>) {
        var size = max(1, plan[keyPath: list].count / 2)
        while size >= 1 {
            var begin = 0
            while begin < plan[keyPath: list].count {
                let before = plan[keyPath: list].count
                let range = begin..<min(begin + size, before)
                plan = attempt(plan) { $0[keyPath: list].removeSubrange(range) }
                if plan[keyPath: list].count == before { begin += size }
            }
            size /= 2
        }
    }
}
