import ParleyRedis
import Testing

@Suite("Heartbeats detect a subscriber that does not receive")
struct HeartbeatTests {
    @Test("a heartbeat that is received keeps the subscription, whatever is known first", arguments: [true, false])
    func heard(_ isHeardFirst: Bool) {
        var heartbeat = Heartbeat()
        for number in 1...100 {
            #expect(heartbeat.ticked() == .publish(number))
            if isHeardFirst { heartbeat.received(number) }
            heartbeat.published(number)
            if !isHeardFirst { heartbeat.received(number) }
        }
    }

    @Test("after three missed heartbeats the subscription is given up")
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

    @Test("a heartbeat that Redis has not accepted does not count")
    func silence() {
        var heartbeat = Heartbeat()
        for number in 1...10 { #expect(heartbeat.ticked() == .publish(number)) }
    }

    @Test("heartbeats before a new subscription do not count")
    func before() {
        var heartbeat = Heartbeat()
        for _ in 0..<5 { _ = heartbeat.ticked() }
        heartbeat.began()
        for number in 1...5 { heartbeat.published(number) }
        #expect(heartbeat.ticked() == .publish(6))
    }
}
