import ParleyAccounts
import Testing

@Suite("Lines that strangers can bring about")
struct LogThrottleTests {
    @Test("are logged once in ten seconds, each kind for itself")
    func pause() {
        let throttle = LogThrottle()
        #expect(throttle.allow("a", at: 0))
        #expect(!throttle.allow("a", at: 9_999))
        #expect(throttle.allow("b", at: 9_999))
        #expect(throttle.allow("a", at: 10_000))
    }

    @Test("are of so many kinds, and no more are remembered")
    func bound() {
        let throttle = LogThrottle()
        for number in 0..<1000 { _ = throttle.allow("\(number)", at: 0) }
        #expect(!throttle.allow("one more", at: 1))
        #expect(throttle.allow("one more", at: 20_000))
    }
}
