/// The result of a simulation.
package struct SimulationResult: Hashable, Sendable {
    package var seed: UInt64
    package var violations: [String]
    package var steps: UInt64 = 0
    /// A digest of everything that ran and was told: equal for equal simulations.
    package var digest: UInt64 = 0
    /// The number of events and acks that users have seen.
    package var sightings = 0

    package init(seed: UInt64, violations: [String]) {
        self.seed = seed
        self.violations = violations
    }

    /// Runs a plan in this process, which can run no other after it.
    package init(of plan: Plan, isPrinted: Bool) {
        let world = World(plan, isPrinted: isPrinted)
        self.init(seed: plan.seed, violations: world.run())
        steps = world.scheduler.steps
        digest = world.scheduler.digest ^ world.story.digest
        sightings = world.observations.events + world.observations.acks
    }

    // MARK: Between processes

    /// One line for each fact.
    var text: String {
        (["\(steps) \(digest) \(sightings)"] + violations.map { $0.split(separator: "\n").joined(separator: " ") })
            .joined(separator: "\n")
    }

    /// `nil` if a process has not written all of it.
    init?(seed: UInt64, text: String) {
        var lines = text.split(separator: "\n").map(String.init)
        guard !lines.isEmpty else { return nil }
        let numbers = lines.removeFirst().split(separator: " ").map(String.init)
        guard numbers.count == 3, let steps = UInt64(numbers[0]), let digest = UInt64(numbers[1]),
            let sightings = Int(numbers[2])
        else { return nil }
        self.init(seed: seed, violations: lines)
        (self.steps, self.digest, self.sightings) = (steps, digest, sightings)
    }
}
