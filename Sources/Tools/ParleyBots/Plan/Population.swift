package import ParleyModel

/// The users, threads and memberships of one run, all created for it.
package struct Population: Sendable {
    /// The prefix of all ids of this run, so that runs do not share threads.
    package let run: String
    package let botCount: Int
    /// By thread number: its members, ascending and distinct.
    package let members: [[Int32]]
    /// By bot number: its threads, ascending.
    package let threads: [[Int32]]
    /// By bot number.
    package let isClassic: [Bool]
    package let isReader: [Bool]
    package let isSlow: [Bool]
    package let isCompressed: [Bool]
    /// By thread number.
    package let threadIDs: [ThreadID]
    /// By thread number: its relative share of the load.
    package let activity: [Double]

    /// - Parameter run: short, of letters and digits.
    package init(_ plan: LoadPlan, run: String) {
        self.run = run
        botCount = plan.bots
        var members: [[Int32]] = []
        var threads = [[Int32]](repeating: [], count: plan.bots)
        var next = 0
        for (thread, size) in Self.sizes(plan).enumerated() {
            let memberships = (0..<size).map { Int32((next + $0) % plan.bots) }.sorted()
            next += size
            for bot in memberships { threads[Int(bot)].append(Int32(thread)) }
            members.append(memberships)
        }
        self.members = members
        self.threads = threads
        var random = SeededRandom(seed: plan.seed)
        func some(_ share: Double) -> [Bool] { (0..<plan.bots).map { _ in random.happens(share) } }
        isClassic = some(plan.classicShare)
        isReader = some(plan.readersShare)
        isSlow = some(plan.slowShare)
        isCompressed = some(plan.compressShare)
        threadIDs = members.indices.map { ThreadID(trusted: "\(run).t\($0)") }
        activity = members.indices.map { Self.zipf($0, plan.activitySkew) }
    }

    package var membershipCount: Int { members.reduce(0) { $0 + $1.count } }

    /// The id of a bot, which is also its name.
    package func user(_ bot: Int) -> String { "\(run).u\(bot)" }

    private static func zipf(_ rank: Int, _ exponent: Double) -> Double {
        exponent == 0 ? 1 : Power.of(Double(rank + 1), -exponent)
    }

    /// Sizes with the mean of the plan, at least 2 (if there are two bots) and at most all bots.
    private static func sizes(_ plan: LoadPlan) -> [Int] {
        guard plan.memberSkew > 0 else { return [Int](repeating: plan.members, count: plan.threads) }
        let weights = (0..<plan.threads).map { zipf($0, plan.memberSkew) }
        let scale = Double(plan.members * plan.threads) / max(weights.reduce(0, +), .leastNonzeroMagnitude)
        return weights.map { min(plan.bots, max(min(2, plan.bots), Int(($0 * scale).rounded()))) }
    }
}
