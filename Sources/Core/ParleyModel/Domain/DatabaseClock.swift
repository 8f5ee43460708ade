import Synchronization

/// The time of the database, as this process knows it: all processes reckon ages by one clock, whatever their own
/// machines' clocks say.
///
/// It runs by the machine's monotonic clock, so that it neither jumps nor stops when the machine's time is set, and is
/// compared with the database now and then (`heard`). Until then it is the machine's time. Read from any thread without
/// waiting.
package final class DatabaseClock: Sendable {
    /// A reading that took longer tells too little, in milliseconds.
    package static let longestReading: Int64 = 2000

    private let system: WallClock
    private let uptime: @Sendable () -> Int64
    /// The difference between the database's time and the uptime.
    private let offset: Atomic<Int64>
    private let isCompared = Atomic<Bool>(false)

    /// - Parameters:
    ///   - system: the machine's time.
    ///   - uptime: milliseconds by a clock that is never set.
    package init(system: WallClock = .system, uptime: @escaping @Sendable () -> Int64 = Uptime.milliseconds) {
        self.system = system
        self.uptime = uptime
        offset = Atomic(system.milliseconds - uptime())
    }

    /// The database's time as a clock.
    package var wall: WallClock { WallClock { [self] in milliseconds } }

    private var milliseconds: Int64 { uptime() + offset.load(ordering: .relaxed) }

    /// Compares with the database.
    /// - Parameter read: reads its time in Unix milliseconds.
    /// - Returns: the lead of the machine's time over the database's, in milliseconds; `nil` if the reading took too
    ///   long.
    @discardableResult
    package func compare<Failure: Error>(
        _ read: () async throws(Failure) -> Int64
    ) async throws(Failure) -> Int64? {
        let asked = uptime()
        let time = try await read()
        return heard(time, asked: asked, answered: uptime())
    }

    /// The database has told its time.
    /// - Parameters:
    ///   - asked, answered: the uptimes between which it was read.
    /// - Returns: as `compare`.
    package func heard(_ time: Int64, asked: Int64, answered: Int64) -> Int64? {
        guard answered - asked <= Self.longestReading else { return nil }
        let middle = asked + (answered - asked) / 2
        let isFirst = !isCompared.exchange(true, ordering: .relaxed)
        // Within what a reading can tell nothing changes, so that the clock does not shiver.
        let difference = time - (middle + offset.load(ordering: .relaxed))
        if isFirst || abs(difference) > (answered - asked) / 2 + 1 { offset.store(time - middle, ordering: .relaxed) }
        return system.milliseconds - milliseconds
    }
}
