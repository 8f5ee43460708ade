import Logging
import ParleyMessaging
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import Synchronization
import Testing

@Suite("Clocks that differ")
struct ClockWatchTests {
    /// A server with a clock of its own.
    private final class Server: TimeSource {
        let clock = TestClock()
        let isAway = Mutex(false)

        func databaseMilliseconds() async throws(StoreError) -> Int64 {
            if isAway.withLock({ $0 }) { throw .unavailable("away") }
            return clock.milliseconds
        }
    }

    private let machine = TestClock()
    private let database = Server()
    private let redis = Server()
    private let recorded = ParleyTestSupport.Recorder<String>()
    private let clock: DatabaseClock
    private let watch: ClockWatch

    init() {
        let (machine, database, redis, recorded) = (machine, database, redis, recorded)
        clock = DatabaseClock(system: machine.wall, uptime: { 0 })
        watch = ClockWatch(
            clock, system: machine.wall, database: database,
            peers: [ClockWatch.Peer(name: "redis") { try? await redis.databaseMilliseconds() }],
            record: { recorded.record("\($0) \($1)") },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test("a machine that differs by some seconds is a problem, and one that differs less is none")
    func problems() async {
        await watch.compare()
        #expect(watch.problems.isEmpty)
        database.clock.advance(milliseconds: -ClockWatch.tolerance)
        redis.clock.advance(milliseconds: ClockWatch.tolerance)
        await watch.compare()
        #expect(watch.problems.isEmpty)
        database.clock.advance(milliseconds: -86_395_000)
        redis.clock.advance(milliseconds: 2000)
        await watch.compare()
        #expect(
            watch.problems == [
                "clock: this machine is 86400 s ahead of the database", "clock: this machine is 7 s behind the redis",
            ])
        #expect(recorded.elements.suffix(2) == ["database 86400.0", "redis -7.0"])
        #expect(clock.wall.milliseconds == database.clock.milliseconds)
        database.clock.milliseconds = machine.milliseconds
        redis.clock.milliseconds = machine.milliseconds
        await watch.compare()
        #expect(watch.problems.isEmpty)
    }

    @Test("what a server does not answer stays as it was")
    func away() async {
        database.clock.advance(milliseconds: 60_000)
        await watch.compare()
        for server in [database, redis] { server.isAway.withLock { $0 = true } }
        await watch.compare()
        #expect(watch.problems == ["clock: this machine is 60 s behind the database"])
        #expect(clock.wall.milliseconds == database.clock.milliseconds)
    }
}
