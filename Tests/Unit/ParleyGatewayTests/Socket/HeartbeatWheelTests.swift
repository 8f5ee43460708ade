import NIOCore
import NIOEmbedded
import ParleyGateway
import Testing

@Suite("One timer for all deadlines of a loop") struct HeartbeatWheelTests {
    private final class Beat: Heartbeating {
        var place: HeartbeatWheel.Place?
        var count = 0

        func heartbeat(at now: Int64) -> Int64? {
            count += 1
            return nil
        }
    }

    @Test("a time that was asked for has passed when its beat comes, wherever between two turns it began")
    func neverEarly() {
        let loop = EmbeddedEventLoop()
        let wheel = HeartbeatWheel(loop: loop)
        wheel.start()
        loop.advanceTime(by: .milliseconds(1900))
        let beat = Beat()
        wheel.schedule(beat, after: TimeAmount.seconds(2))
        loop.advanceTime(by: .milliseconds(1999))
        #expect(beat.count == 0)
        loop.advanceTime(by: .milliseconds(2001))
        #expect(beat.count == 1)
    }
}
