import ParleyRedis
import Testing

@Suite("A node listens for what it says to itself")
struct HeartbeatTests {
    @Test("as long as it comes back all is well, whichever is known first", arguments: [true, false])
    func heard(_ isHeardFirst: Bool) {
        var heartbeat = Heartbeat()
        for number in 1...100 {
            #expect(heartbeat.ticked() == .publish(number))
            if isHeardFirst { heartbeat.heard(number) }
            heartbeat.published(number)
            if !isHeardFirst { heartbeat.heard(number) }
        }
    }

    @Test("after three that did not come back the subscription is given up")
    func deaf() {
        var heartbeat = Heartbeat()
        for number in 1...3 {
            #expect(heartbeat.ticked() == .publish(number))
            heartbeat.published(number)
        }
        #expect(heartbeat.ticked() == .giveUp)
        heartbeat.began()
        #expect(heartbeat.ticked() == .publish(4))
    }

    @Test("what Redis has not taken does not count")
    func silence() {
        var heartbeat = Heartbeat()
        for number in 1...10 { #expect(heartbeat.ticked() == .publish(number)) }
    }

    @Test("what was said before a new subscription does not count")
    func before() {
        var heartbeat = Heartbeat()
        for _ in 0..<5 { _ = heartbeat.ticked() }
        heartbeat.began()
        for number in 1...5 { heartbeat.published(number) }
        #expect(heartbeat.ticked() == .publish(6))
    }
}
