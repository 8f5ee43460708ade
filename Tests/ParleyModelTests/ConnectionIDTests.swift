import ParleyModel
import ParleyTestSupport
import Testing

@Suite("Names of connections")
struct ConnectionIDTests {
    @Test(
        "15 characters that an identifier may have, with their time", arguments: [0, 1, 1_795_255_200_123, 1 << 42 - 1])
    func time(milliseconds: Int64) throws {
        var generator = SeededGenerator(1)
        for _ in 0..<100 {
            let id = ConnectionID.make(milliseconds: milliseconds, using: &generator)
            #expect(id.text.utf8.count == 15)
            #expect(ConnectionID(id.text) == id)
            #expect(id.milliseconds == milliseconds)
        }
    }

    @Test("one of a clock bears the clock's time")
    func ofClock() {
        #expect(ConnectionID.make(WallClock { 0x0123_4567_89A }).milliseconds == 0x0123_4567_89A)
    }

    @Test("no two of a million of one instant are the same")
    func unique() {
        var generator = SeededGenerator(1)
        let ids = Set((0..<1_000_000).map { _ in ConnectionID.make(milliseconds: 1, using: &generator) })
        #expect(ids.count == 1_000_000)
    }

    @Test("others tell no time", arguments: ["c1", "0123456789abcdef", "abcdef.01234567", "guest-123456789012"])
    func others(text: String) {
        #expect(ConnectionID(trusted: text).milliseconds == nil)
    }
}
