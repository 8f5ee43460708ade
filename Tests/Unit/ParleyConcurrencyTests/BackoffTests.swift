import ParleyConcurrency
import ParleyTestSupport
import Testing

@Suite("Retry delays")
struct BackoffTests {
    @Test("the n-th delay lies between zero and base · 2ⁿ, at most the cap", arguments: [UInt64(1), 2, 3])
    func bounds(_ seed: UInt64) {
        var generator = SeededGenerator(seed)
        var backoff = Backoff(base: .milliseconds(50), cap: .seconds(5))
        for attempt in 0..<200 {
            let ceiling = min(.seconds(5), .milliseconds(50) * (1 << min(attempt, 20)))
            let wait = backoff.next(using: &generator)
            #expect(wait >= .zero && wait <= ceiling, "seed \(seed), attempt \(attempt)")
            #expect(backoff.failures == attempt + 1)
        }
    }

    @Test("the bounds of the range are reached")
    func ends() {
        var highest = FixedGenerator(value: .max)
        var lowest = FixedGenerator(value: 1)
        var backoff = Backoff(base: .milliseconds(50), cap: .milliseconds(150))
        #expect(backoff.next(using: &highest) == .milliseconds(50))
        #expect(backoff.next(using: &highest) == .milliseconds(100))
        #expect(backoff.next(using: &highest) == .milliseconds(150))
        #expect(backoff.next(using: &highest) == .milliseconds(150))
        #expect(backoff.next(using: &lowest) == .zero)
    }

    @Test("a success resets the delays")
    func reset() {
        var highest = FixedGenerator(value: .max)
        var backoff = Backoff(base: .milliseconds(50), cap: .seconds(5))
        for _ in 0..<10 { _ = backoff.next(using: &highest) }
        backoff.reset()
        #expect(backoff.failures == 0)
        #expect(backoff.next(using: &highest) == .milliseconds(50))
    }
}
