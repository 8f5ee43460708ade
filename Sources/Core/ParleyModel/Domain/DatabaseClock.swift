import Synchronization

/// This process's estimate of the database's time. All processes compute ages from this one clock, whatever the clocks of their
/// machines say.
///
/// It advances with the machine's monotonic clock, so that it neither jumps nor stops when the machine's time is set, and is
/// compared with the database periodically (`heard`). Until the first comparison it equals the machine's time. Reads never wait
/// and are allowed from any thread.
package final class DatabaseClock: Sendable {
    /// The maximum duration of a useful reading, in milliseconds. A slower reading is too inaccurate.
    package static let longestReading: Int64 = 2000

    private let system: WallClock
    private let uptime: @Sendable () -> Int64
    /// The difference between the database's time and the uptime.
    private let offset: Atomic<Int64>
    private let isCompared = Atomic<Bool>(false)

    /// - Parameters:
    ///   - system: The machine's time.
    ///   - uptime: Milliseconds of a clock that is never set.
    package init(system: WallClock = .system, uptime: @escaping @Sendable () -> Int64 = Uptime.milliseconds) {
        self.system = system
        self.uptime = uptime
        offset = Atomic(system.milliseconds - uptime())
    }

    /// The database's time as a `WallClock`.
    package var wall: WallClock { WallClock { [self] in milliseconds } }

    private var milliseconds: Int64 { uptime() + offset.load(ordering: .relaxed) }

    /// Compares the clock with the database.
    /// - Parameter read: Reads the database's time in Unix milliseconds.
    /// - Returns: The lead of the machine's time over the database's, in milliseconds; `nil` if the reading took too long.
    @discardableResult
    package func compare<Failure: Error>(
        _ read: () async throws(Failure) -> Int64
    ) async throws(Failure) -> Int64? {
        let asked = uptime()
        let time = try await read()
        return heard(time, asked: asked, answered: uptime())
    }

    /// Adjusts the clock to a reading of the database's time.
    /// - Parameters:
    ///   - asked, answered: The uptimes before and after the reading.
    /// - Returns: The same as `compare`.
    package func heard(_ time: Int64, asked: Int64, answered: Int64) -> Int64? {
        guard answered - asked <= Self.longestReading else { return nil }
        let middle = asked + (answered - asked) / 2
        let isFirst = !isCompared.exchange(true, ordering: .relaxed)
        // Differences within the accuracy of a reading are ignored, so that the clock does not jitter.
        let difference = time - (middle + offset.load(ordering: .relaxed))
        if isFirst || abs(difference) > (answered - asked) / 2 + 1 { offset.store(time - middle, ordering: .relaxed) }
        return system.milliseconds - milliseconds
    }
}
