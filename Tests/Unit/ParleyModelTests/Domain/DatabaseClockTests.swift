import ParleyModel
import ParleyTestContracts
import Synchronization
import Testing

@Suite("The database's clock")
struct DatabaseClockTests {
    private static let day: Int64 = 86_400_000

    private let system = TestClock()
    /// The monotonic clock.
    private let uptime = TestClock(milliseconds: 5000)
    private let clock: DatabaseClock

    init() {
        let uptime = uptime
        clock = DatabaseClock(system: system.wall, uptime: { uptime.milliseconds })
    }

    private func pass(_ milliseconds: Int64) {
        system.advance(milliseconds: milliseconds)
        uptime.advance(milliseconds: milliseconds)
    }

    @Test("it is the machine's until the database was heard, and then the database's")
    func heard() {
        #expect(clock.wall.milliseconds == system.milliseconds)
        let database = system.milliseconds - Self.day
        #expect(clock.heard(database, asked: 4990, answered: 5000) == Self.day - 5)
        #expect(clock.wall.milliseconds == database + 5)
        pass(1000)
        #expect(clock.wall.milliseconds == database + 1005)
    }

    @Test("setting the machine's time does not move it")
    func set() {
        _ = clock.heard(system.milliseconds, asked: 5000, answered: 5000)
        let before = clock.wall.milliseconds
        system.advance(milliseconds: Self.day)
        #expect(clock.wall.milliseconds == before)
        #expect(clock.heard(before, asked: 5000, answered: 5000) == Self.day)
    }

    @Test("what lies within the uncertainty of a reading moves nothing")
    func uncertain() {
        _ = clock.heard(system.milliseconds, asked: 5000, answered: 5000)
        let before = clock.wall.milliseconds
        _ = clock.heard(before + 90, asked: 4900, answered: 5100)
        #expect(clock.wall.milliseconds == before)
        _ = clock.heard(before + 150, asked: 4900, answered: 5100)
        #expect(clock.wall.milliseconds == before + 150)
    }

    @Test("a reading that took too long is ignored")
    func late() {
        let before = clock.wall.milliseconds
        let answered = 5000 + DatabaseClock.longestReading + 1
        #expect(clock.heard(before + Self.day, asked: 5000, answered: answered) == nil)
        #expect(clock.wall.milliseconds == before)
    }

    @Test("a database that does not answer leaves it as it was")
    func away() async {
        struct Away: Error {}
        let before = clock.wall.milliseconds
        await #expect(throws: Away.self) { try await clock.compare { () throws(Away) in throw Away() } }
        #expect(clock.wall.milliseconds == before)
    }
}
