import ParleyGateway
import ParleyModel
import ParleyTestSupport
import Testing

@Suite("Which threads are the busiest")
struct ThreadRatesTests {
    private func thread(_ number: Int) -> ThreadID { ThreadID(trusted: "t\(number)") }

    @Test("events are counted by thread, and the busiest come first")
    func rates() {
        var rates = ThreadRates()
        for _ in 0..<40 { rates.count(thread(1)) }
        for _ in 0..<4 { rates.count(thread(2)) }
        for _ in 0..<20 { rates.count(thread(3)) }
        let busiest = rates.turn(seconds: 2, limit: 2)
        #expect(busiest == [rate(1, 20), rate(3, 10)])
    }

    @Test("what a thread did is half forgotten each turn, until it is gone")
    func decay() {
        var rates = ThreadRates()
        for _ in 0..<16 { rates.count(thread(1)) }
        #expect(rates.turn(seconds: 2, limit: 9) == [rate(1, 8)])
        #expect(rates.turn(seconds: 2, limit: 9) == [rate(1, 4)])
        // Between what it was and what it is now.
        for _ in 0..<16 { rates.count(thread(1)) }
        #expect(rates.turn(seconds: 2, limit: 9) == [rate(1, 6)])
        for _ in 0..<10 { _ = rates.turn(seconds: 2, limit: 9) }
        #expect(rates.turn(seconds: 2, limit: 9) == [])
        #expect(rates.size == (0, 0))
    }

    @Test("a thread whose rate would be shown as 0 is not listed")
    func slowest() {
        var rates = ThreadRates()
        rates.count(thread(1))
        // Halved to 0.5, 0.25, 0.125 and 0.0625, and then to 0.03.
        for _ in 0..<4 { #expect(rates.turn(seconds: 1, limit: 9).count == 1) }
        #expect(rates.turn(seconds: 1, limit: 9) == [rate(1, 0.0625)])
        #expect(rates.turn(seconds: 1, limit: 9) == [])
        #expect(rates.size == (0, 0))
    }

    @Test("equal rates are in the order of their ids")
    func ties() {
        var rates = ThreadRates()
        for number in [3, 1, 2] { rates.count(thread(number)) }
        #expect(rates.turn(seconds: 1, limit: 3).map(\.thread) == [thread(1), thread(2), thread(3)])
    }

    @Test("a turn without time says nothing and forgets nothing")
    func noTime() {
        var rates = ThreadRates()
        rates.count(thread(1))
        #expect(rates.turn(seconds: 0, limit: 9) == [])
        #expect(rates.turn(seconds: 1, limit: 9) == [rate(1, 1)])
    }

    @Test("however many threads there are, it holds no more than its capacity, and misses no busy one")
    func bound() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed)
        let capacity = 20
        for _ in 0..<20 {
            var rates = ThreadRates(capacity: capacity)
            var exact: [ThreadID: Int] = [:]
            let total = 5_000
            for _ in 0..<total {
                // Three busy ones among ten thousand.
                let number = random.next() % 10 < 4 ? Int(random.next() % 3) : Int(random.next() % 10_000) + 3
                rates.count(thread(number))
                exact[thread(number), default: 0] += 1
                #expect(rates.size.counts <= capacity)
            }
            let found = rates.turn(seconds: 1, limit: .max)
            #expect(rates.size.rates <= capacity)
            let allowed = Double(total) / Double(capacity + 1)
            for (thread, count) in exact where Double(count) > allowed {
                let seen = found.first { $0.thread == thread }?.eventsPerSecond
                #expect(seen != nil, "seed \(seed): \(thread) is missing")
                #expect((seen ?? 0) <= Double(count), "seed \(seed): \(thread)")
                #expect((seen ?? 0) >= Double(count) - allowed, "seed \(seed): \(thread)")
            }
            #expect(Set(found.prefix(3).map(\.thread)) == [thread(0), thread(1), thread(2)], "seed \(seed)")
        }
    }

    private func rate(_ number: Int, _ eventsPerSecond: Double) -> ThreadRate {
        ThreadRate(thread: thread(number), eventsPerSecond: eventsPerSecond)
    }
}
