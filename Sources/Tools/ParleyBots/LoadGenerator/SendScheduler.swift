import NIOCore

/// Schedules a group's sends as an open loop: each becomes due at its instant, whatever the server does. Bound to the
/// group's loop.
final class SendScheduler {
    private struct Choice {
        let bot: Int
        let place: Int
        /// The cumulative activity of this and all earlier choices.
        let upTo: Double
    }

    private let botGroup: BotGroup
    private let choices: [Choice]
    private let weight: Double
    /// This group's share of the total load.
    private let share: Double
    private var random: SeededRandom
    private var start: Int64 = 0
    private var end: Int64 = 0
    private var nextSend: Int64 = 0
    private var nextBurst: Int64 = .max
    private var nextCut: Int64 = .max
    private var isRunning = false

    init(_ botGroup: BotGroup) {
        let total = Self.total(botGroup.population)
        self.botGroup = botGroup
        var choices: [Choice] = []
        var weight = 0.0
        for (index, bot) in botGroup.bots.enumerated() where !botGroup.population.isReader[bot.number] {
            for (place, thread) in bot.threads.enumerated() {
                weight += Self.weight(of: Int(thread), botGroup.population)
                choices.append(Choice(bot: index, place: place, upTo: weight))
            }
        }
        self.choices = choices
        self.weight = weight
        share = total > 0 ? weight / total : 0
        random = SeededRandom(seed: botGroup.random.next())
    }

    /// The activity added by one member that sends.
    private static func weight(of thread: Int, _ population: Population) -> Double {
        population.activity[thread] / Double(max(1, population.members[thread].count))
    }

    /// The activity of all senders.
    static func total(_ population: Population) -> Double {
        var total = 0.0
        for (thread, members) in population.members.enumerated() {
            total += Double(members.count { !population.isReader[Int($0)] }) * weight(of: thread, population)
        }
        return total
    }

    /// - Parameters:
    ///   - start: in monotonic microseconds.
    ///   - end: sends due from then on are not made.
    func run(from start: Int64, until end: Int64) {
        let plan = botGroup.plan
        (self.start, self.end) = (start, end)
        isRunning = true
        nextSend = choices.isEmpty || plan.totalRate * share <= 0 ? .max : start
        if nextSend != .max { nextSend += gap(at: start) }
        if plan.burst > 0, !choices.isEmpty { nextBurst = start + Int64(plan.burstEvery * 1e6) }
        if plan.churn > 0 { nextCut = start }
        if let storm = plan.stormAt {
            botGroup.after(microseconds: start + Int64(storm * 1e6) - MonotonicClock.now()) { [self] in cutAll() }
        }
        step()
    }

    func stop() { isRunning = false }

    private func step() {
        guard isRunning else { return }
        let now = MonotonicClock.now()
        while nextSend <= now, nextSend < end {
            submit(at: nextSend)
            nextSend += gap(at: nextSend)
        }
        while nextBurst <= now, nextBurst < end {
            let count = Int((Double(botGroup.plan.burst) * share).rounded())
            for _ in 0..<count { submit(at: nextBurst) }
            nextBurst += Int64(botGroup.plan.burstEvery * 1e6)
        }
        while nextCut <= now, nextCut < end {
            if nextCut > start, let bot = botGroup.bots.randomElement(using: &random) { bot.cut() }
            nextCut += wait(botGroup.plan.churn * Double(botGroup.bots.count) / Double(botGroup.population.botCount))
        }
        let next = min(nextSend, nextBurst, nextCut)
        guard next < end else { return }
        botGroup.after(microseconds: next - MonotonicClock.now()) { [self] in step() }
    }

    /// Microseconds until the next send.
    private func gap(at instant: Int64) -> Int64 {
        var rate = botGroup.plan.totalRate * share
        let elapsed = Double(instant - start) / 1e6
        if elapsed < botGroup.plan.ramp { rate *= max(0.05, elapsed / botGroup.plan.ramp) }
        return wait(rate)
    }

    private func wait(_ rate: Double) -> Int64 {
        let mean = 1e6 / max(rate, 1e-6)
        switch botGroup.plan.arrivals {
        case .even: return max(1, Int64(mean))
        case .random: return max(1, Int64(-Power.logarithm(1 - random.unit()) * mean))
        }
    }

    private func submit(at instant: Int64) {
        let plan = botGroup.plan
        let choice = choose()
        botGroup.figures.scheduled += 1
        botGroup.bots[choice.bot].submit(
            place: choice.place, scheduled: instant, size: Int.random(in: plan.textBytes, using: &random),
            wantsStored: random.happens(plan.storedShare))
        if random.happens(plan.typingShare) {
            let other = choose()
            botGroup.bots[other.bot].type(place: other.place)
        }
        if random.happens(plan.readShare) {
            let other = choose()
            botGroup.bots[other.bot].read(place: other.place)
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
        for bot in botGroup.bots where random.unit() < botGroup.plan.stormShare { bot.cut() }
    }
}
