import ParleyModel
import ParleyTestSupport
import Testing

@Suite("Connection ids")
struct ConnectionIDTests {
    @Test(
        "an id has 15 valid characters and its time", arguments: [0, 1, 1_795_255_200_123, 1 << 42 - 1])
    func time(milliseconds: Int64) throws {
        var generator = SeededGenerator(1)
        for _ in 0..<100 {
            let id = ConnectionID.make(milliseconds: milliseconds, using: &generator)
            #expect(id.text.utf8.count == 15)
            #expect(ConnectionID(id.text) == id)
            #expect(id.milliseconds == milliseconds)
        }
    }

    @Test("an id made from a clock has the clock's time")
    func ofClock() {
        #expect(ConnectionID.make(WallClock { 0x0123_4567_89A }).milliseconds == 0x0123_4567_89A)
    }

    @Test("a million ids of one instant are distinct")
    func unique() {
        var generator = SeededGenerator(1)
        let ids = Set((0..<1_000_000).map { _ in ConnectionID.make(milliseconds: 1, using: &generator) })
        #expect(ids.count == 1_000_000)
    }

    @Test("foreign ids have no time", arguments: ["c1", "0123456789abcdef", "abcdef.01234567", "guest-123456789012"])
    func others(text: String) {
        #expect(ConnectionID(trusted: text).milliseconds == nil)
    }
}
