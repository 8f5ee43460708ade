import ParleyModel
import Testing

@Suite struct DurationTests {
    @Test(
        "milliseconds are whole ones",
        arguments: [
            (.zero, 0), (.milliseconds(1), 1), (.microseconds(1_999), 1), (.seconds(86_400), 86_400_000),
            (.seconds(1 << 40), 1_099_511_627_776_000), (.microseconds(-1_500), -1),
        ] as [(Duration, Int64)])
    func milliseconds(duration: Duration, milliseconds: Int64) {
        #expect(duration.milliseconds == milliseconds)
    }
}
