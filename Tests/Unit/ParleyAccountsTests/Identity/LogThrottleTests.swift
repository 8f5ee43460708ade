import ParleyAccounts
import Testing

@Suite("Throttling of log lines")
struct LogThrottleTests {
    @Test("each kind is logged once in ten seconds")
    func pause() {
        let throttle = LogThrottle()
        #expect(throttle.allow("a", at: 0))
        #expect(!throttle.allow("a", at: 9_999))
        #expect(throttle.allow("b", at: 9_999))
        #expect(throttle.allow("a", at: 10_000))
    }

    @Test("the number of kinds remembered is bounded")
    func bound() {
        let throttle = LogThrottle()
        for number in 0..<1000 { _ = throttle.allow("\(number)", at: 0) }
        #expect(!throttle.allow("one more", at: 1))
        #expect(throttle.allow("one more", at: 20_000))
    }
}
