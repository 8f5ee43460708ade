import ParleySession
import Synchronization
import Testing

@Suite struct SendRateTests {
    /// Goes on by 7 µs whenever somebody looks.
    private final class SharedClock: Sendable {
        private let now = Atomic<Int64>(0)
        func tick() -> Int64 { now.wrappingAdd(7, ordering: .relaxed).newValue }
    }

    @Test("a burst goes at once, the next has to wait for its turn", arguments: [1, 2, 40])
    func burst(burst: Int) {
        let rate = SendRate(perSecond: 20, burst: burst)
        for _ in 0..<burst { #expect(rate.take(at: 1000) == 0) }
        #expect(rate.take(at: 1000) == 50_000)
        #expect(rate.take(at: 50_999) == 1)
        #expect(rate.take(at: 51_000) == 0)
        #expect(rate.take(at: 51_000) == 50_000)
    }

    @Test("the wait that is told is enough, and not too much")
    func waits() {
        let rate = SendRate(perSecond: 7, burst: 3)
        var now: Int64 = 0
        for _ in 0..<3 { _ = rate.take(at: now) }
        for _ in 0..<100 {
            let wait = rate.take(at: now)
            #expect(wait > 0)
            #expect(rate.take(at: now + wait - 1) == 1)
            now += wait
            #expect(rate.take(at: now) == 0)
        }
    }

    @Test("who was quiet has the whole burst again, and no more")
    func refills() {
        let rate = SendRate(perSecond: 20, burst: 40)
        for _ in 0..<40 { _ = rate.take(at: 0) }
        for _ in 0..<40 { #expect(rate.take(at: 3600 * 1_000_000) == 0) }
        #expect(rate.take(at: 3600 * 1_000_000) > 0)
    }

    @Test("0 is no limit")
    func unlimited() {
        let rate = SendRate(perSecond: 0, burst: 0)
        for _ in 0..<10_000 { #expect(rate.take(at: 0) == 0) }
    }

    @Test("a burst of 0 still lets one go")
    func smallestBurst() {
        let rate = SendRate(perSecond: 10, burst: 0)
        #expect(rate.take(at: 0) == 0)
        #expect(rate.take(at: 0) == 100_000)
    }

    @Test("absurd settings do not break it")
    func extremes() {
        let rate = SendRate(perSecond: 1, burst: .max)
        #expect(rate.take(at: .max / 4) == 0)
        #expect(SendRate(perSecond: .max, burst: .max).take(at: 0) == 0)
    }

    @Test(
        "over any stretch of time no more go than the rate and the burst allow",
        arguments: [(1, 1), (3, 2), (7, 1), (20, 40), (30, 5), (333, 10), (999_999, 3)], [1, 2, 3] as [UInt64])
    func neverMore(settings: (perSecond: Int, burst: Int), seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let rate = SendRate(perSecond: settings.perSecond, burst: settings.burst)
        var now: Int64 = 0
        var instants: [Int64] = []
        for _ in 0..<2000 {
            now += Int64.random(in: 0...(2_000_000 / Int64(settings.perSecond)), using: &generator)
            if rate.take(at: now) == 0 { instants.append(now) }
        }
        // The stretch from one send to another, both included, for all pairs that are not too far apart.
        for first in instants.indices {
            for last in first..<min(first + 60, instants.count) {
                let length = instants[last] - instants[first]
                let allowed = Double(settings.burst) + Double(length) * Double(settings.perSecond) / 1_000_000
                #expect(Double(last - first + 1) <= allowed + 1e-6, "seed \(seed)")
            }
        }
    }

    @Test("all of the rate can be used", arguments: [1, 3, 20, 333])
    func sustained(perSecond: Int) {
        let rate = SendRate(perSecond: perSecond, burst: 1)
        var now: Int64 = 0
        var count = 0
        while now < 100_000_000 {
            let wait = rate.take(at: now)
            if wait == 0 { count += 1 } else { now += wait }
        }
        #expect(count >= 100 * perSecond * 999 / 1000)
    }

    @Test("several threads together get no more than one")
    func threads() async {
        let rate = SendRate(perSecond: 1000, burst: 100)
        let clock = SharedClock()
        let taken = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var taken = 0
                    while true {
                        let now = clock.tick()
                        guard now < 1_000_000 else { return taken }
                        if rate.take(at: now) == 0 { taken += 1 }
                    }
                }
            }
            return await group.reduce(0, +)
        }
        // Every send but the burst has waited for its millisecond; threads may see the time a little apart.
        #expect(taken <= 100 + 1000)
        #expect(taken >= 1000)
    }
}
