import NIOCore
import ParleyGateway
import Testing

@Suite("Whether a body arrives in time")
struct BodyClockTests {
    private func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(100 + seconds) }

    @Test("a body has its limit, whatever comes in it")
    func whole() {
        var clock = BodyClock(limit: .seconds(30), bytesPerSecond: nil, now: at(0))
        clock.received(1_000_000)
        #expect(clock.verdict(at: at(29)) == .checkAgain(at: at(30)))
        #expect(clock.verdict(at: at(30)) == .late)
    }

    @Test("a streamed body has another limit each time that enough has come")
    func streamed() {
        var clock = BodyClock(limit: .seconds(30), bytesPerSecond: 10, now: at(0))
        clock.received(300)
        #expect(clock.verdict(at: at(30)) == .checkAgain(at: at(60)))
        // Much in one window does not count in the next.
        clock.received(100_000)
        #expect(clock.verdict(at: at(60)) == .checkAgain(at: at(90)))
        clock.received(299)
        #expect(clock.verdict(at: at(90)) == .late)
    }

    @Test("the time in which the server does not read does not count")
    func held() {
        var clock = BodyClock(limit: .seconds(30), bytesPerSecond: nil, now: at(0))
        clock.hold(at: at(10))
        clock.hold(at: at(20))
        #expect(clock.verdict(at: at(40)) == .checkAgain(at: at(70)))
        clock.release(at: at(50))
        #expect(clock.verdict(at: at(69)) == .checkAgain(at: at(70)))
        #expect(clock.verdict(at: at(70)) == .late)
    }

    @Test("in a limitRemaining there are no more windows")
    func limitRemaining() {
        var clock = BodyClock(limit: .seconds(30), bytesPerSecond: 1, now: at(0))
        clock.received(1_000)
        clock.limitRemaining(within: .seconds(10), now: at(5))
        #expect(clock.verdict(at: at(14)) == .checkAgain(at: at(15)))
        #expect(clock.verdict(at: at(15)) == .late)
    }
}
