import ParleyGateway
import ParleyModel
import Testing

@Suite("What the bus brings is counted")
struct EventMeterTests {
    private let one = ThreadID(trusted: "one")
    private let two = ThreadID(trusted: "two")

    @Test("events by thread, anew in each turn")
    func turn() {
        let meter = EventMeter()
        for thread in [one, one, one, two] { meter.count(thread) }
        let turn = meter.turn(seconds: 1, limit: 1)
        #expect(turn.events == 4)
        #expect(turn.busiest == [ThreadRate(thread: one, eventsPerSecond: 3)])
        let next = meter.turn(seconds: 1, limit: 9)
        #expect(next.events == 0)
        #expect(next.busiest.map(\.eventsPerSecond) == [1.5, 0.5])
    }
}
