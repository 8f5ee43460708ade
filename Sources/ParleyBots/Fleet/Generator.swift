import NIOCore

/// Makes the crew's sends due, each at its instant, whatever the server does: an open loop. Bound to the crew's loop.
final class Generator {
    private struct Choice {
        let bot: Int
        let place: Int
        /// The activity of this and all choices before.
        let upTo: Double
    }

    private let crew: Crew
    private let choices: [Choice]
    private let weight: Double
    /// This crew's part of the whole load.
    private let share: Double
    private var random: SeededRandom
    private var start: Int64 = 0
    private var end: Int64 = 0
    private var nextSend: Int64 = 0
    private var nextBurst: Int64 = .max
    private var nextCut: Int64 = .max
    private var isRunning = false

    init(_ crew: Crew) {
        let total = Self.total(crew.world)
        self.crew = crew
        var choices: [Choice] = []
        var weight = 0.0
        for (index, bot) in crew.bots.enumerated() where !crew.world.isReader[bot.number] {
            for (place, thread) in bot.threads.enumerated() {
                weight += Self.weight(of: Int(thread), crew.world)
                choices.append(Choice(bot: index, place: place, upTo: weight))
            }
        }
        self.choices = choices
        self.weight = weight
        share = total > 0 ? weight / total : 0
        random = SeededRandom(seed: crew.random.next())
    }

    /// What a member that sends adds to the activity.
    private static func weight(of thread: Int, _ world: World) -> Double {
        world.activity[thread] / Double(max(1, world.members[thread].count))
    }

    /// The activity of all who send.
    static func total(_ world: World) -> Double {
        var total = 0.0
        for (thread, members) in world.members.enumerated() {
            total += Double(members.count { !world.isReader[Int($0)] }) * weight(of: thread, world)
        }
        return total
    }

    /// - Parameters:
    ///   - start: in monotone microseconds.
    ///   - end: sends that would be due then are not.
    func run(from start: Int64, until end: Int64) {
        let plan = crew.plan
        (self.start, self.end) = (start, end)
        isRunning = true
        nextSend = choices.isEmpty || plan.totalRate * share <= 0 ? .max : start
        if nextSend != .max { nextSend += gap(at: start) }
        if plan.burst > 0, !choices.isEmpty { nextBurst = start + Int64(plan.burstEvery * 1e6) }
        if plan.churn > 0 { nextCut = start }
        if let storm = plan.stormAt {
            crew.after(microseconds: start + Int64(storm * 1e6) - MonotoneClock.now()) { [self] in cutAll() }
        }
        step()
    }

    func stop() { isRunning = false }

    private func step() {
        guard isRunning else { return }
        let now = MonotoneClock.now()
        while nextSend <= now, nextSend < end {
            submit(at: nextSend)
            nextSend += gap(at: nextSend)
        }
        while nextBurst <= now, nextBurst < end {
            let count = Int((Double(crew.plan.burst) * share).rounded())
            for _ in 0..<count { submit(at: nextBurst) }
            nextBurst += Int64(crew.plan.burstEvery * 1e6)
        }
        while nextCut <= now, nextCut < end {
            if nextCut > start, let bot = crew.bots.randomElement(using: &random) { bot.cut() }
            nextCut += wait(crew.plan.churn * Double(crew.bots.count) / Double(crew.world.botCount))
        }
        let next = min(nextSend, nextBurst, nextCut)
        guard next < end else { return }
        crew.after(microseconds: next - MonotoneClock.now()) { [self] in step() }
    }

    /// Microseconds to the next send.
    private func gap(at instant: Int64) -> Int64 {
        var rate = crew.plan.totalRate * share
        let elapsed = Double(instant - start) / 1e6
        if elapsed < crew.plan.ramp { rate *= max(0.05, elapsed / crew.plan.ramp) }
        return wait(rate)
    }

    private func wait(_ rate: Double) -> Int64 {
        let mean = 1e6 / max(rate, 1e-6)
        switch crew.plan.arrivals {
        case .even: return max(1, Int64(mean))
        case .random: return max(1, Int64(-Power.logarithm(1 - random.unit()) * mean))
        }
    }

    private func submit(at instant: Int64) {
        let plan = crew.plan
        let choice = choose()
        crew.figures.scheduled += 1
        crew.bots[choice.bot].submit(
            place: choice.place, scheduled: instant, size: Int.random(in: plan.textBytes, using: &random),
            wantsStored: random.happens(plan.storedShare))
        if random.happens(plan.typingShare) {
            let other = choose()
            crew.bots[other.bot].type(place: other.place)
        }
        if random.happens(plan.readShare) {
            let other = choose()
            crew.bots[other.bot].read(place: other.place)
        }
    }

    private func choose() -> Choice {
        let point = random.unit() * weight
        var (low, high) = (0, choices.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if choices[middle].upTo <= point { low = middle + 1 } else { high = middle }
        }
        return choices[low]
    }

    private func cutAll() {
        guard isRunning else { return }
        for bot in crew.bots where random.unit() < crew.plan.stormShare { bot.cut() }
    }
}
