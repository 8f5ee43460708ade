import ParleyMessaging
import ParleyModel
import Testing

@Suite("Throttling of typing indicators")
struct TypingThrottleTests {
    private static let second: Int64 = 1_000_000
    private static let room = ThreadID(trusted: "room")

    @Test(
        "a start is shown once in 3 s, a stop at once, and no repeats",
        arguments: [
            [(0, true, true), (1, true, false), (2, true, false), (3, true, true)],
            [
                (0, true, true), (1, false, true), (1, false, false), (2, true, false), (2, false, false),
                (3, true, true),
            ],
            [(0, false, true), (0, true, true), (0, false, true), (1, false, false)],
            [(0, false, true), (1, false, false), (3, false, true)],
            [(0, true, true), (60, false, true), (60, true, true)],
        ] as [[(Int64, Bool, Bool)]])
    func typing(steps: [(Int64, Bool, Bool)]) {
        var throttle = TypingThrottle()
        for (second, isOn, isShown) in steps {
            #expect(
                throttle.shows(Self.room, isOn: isOn, at: second * Self.second) == isShown, "\(second) \(isOn)")
        }
    }

    @Test("after a message of the user, a start is shown at once, and a stop not at all")
    func messages() {
        var throttle = TypingThrottle()
        let other = ThreadID(trusted: "other")
        #expect(throttle.shows(Self.room, isOn: true, at: 0) == true)
        #expect(throttle.shows(other, isOn: true, at: 0) == true)
        throttle.sent(in: Self.room, at: Self.second)
        #expect(throttle.shows(Self.room, isOn: false, at: Self.second) == false)
        #expect(throttle.shows(Self.room, isOn: true, at: Self.second) == true)
        #expect(throttle.shows(Self.room, isOn: true, at: 2 * Self.second) == false)
        #expect(throttle.shows(other, isOn: true, at: 2 * Self.second) == false)
        // A message in a thread without an indicator.
        throttle.sent(in: ThreadID(trusted: "silent"), at: 2 * Self.second)
        #expect(throttle.shows(Self.room, isOn: false, at: 2 * Self.second) == true)
    }

    @Test("each thread is throttled separately; 16 are remembered")
    func threads() {
        var throttle = TypingThrottle()
        let threads = (0..<17).map { ThreadID(trusted: "t\($0)") }
        for thread in threads { #expect(throttle.shows(thread, isOn: true, at: 0) == true) }
        #expect(throttle.shows(threads[16], isOn: true, at: 0) == false)
        #expect(throttle.shows(threads[0], isOn: true, at: 0) == true)
    }
}
