import ParleyModel
import Testing

@Suite struct WallClockTests {
    @Test("seconds are rounded down", arguments: [(0, 0), (999, 0), (1000, 1), (1_795_255_200_999, 1_795_255_200)])
    func seconds(milliseconds: Int64, seconds: Int64) {
        let clock = WallClock { milliseconds }
        #expect(clock.milliseconds == milliseconds)
        #expect(clock.seconds == seconds)
    }

    @Test("the system clock shows this century")
    func system() {
        let year2024: Int64 = 1_704_067_200_000
        #expect(WallClock.system.milliseconds > year2024)
        #expect(WallClock.system.milliseconds < year2024 + 100 * 365 * 24 * 3_600_000)
    }
}
