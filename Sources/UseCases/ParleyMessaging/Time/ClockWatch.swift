package import Logging
package import ParleyModel
import Synchronization

/// Compares this machine's clock with the clocks of the servers that all nodes share, and keeps the `DatabaseClock`
/// right.
///
/// A machine whose clock is wrong does no harm, since ages are reckoned by the database's clock; but its log lines and
/// certificates' dates are wrong, so operators are told: in the log when it begins and ends, in a metric
/// (`parley_clock_ahead_seconds`), and by `problems`. The last comparisons are behind a lock.
package final class ClockWatch: Sendable {
    /// A server, and how its time is read in Unix milliseconds; `nil` if it does not answer.
    package struct Peer: Sendable {
        package let name: String
        package let read: @Sendable () async -> Int64?

        package init(name: String, read: @escaping @Sendable () async -> Int64?) {
            self.name = name
            self.read = read
        }
    }

    /// The difference that clocks may have, in milliseconds.
    package static let tolerance: Int64 = 5000
    /// The interval of the comparisons.
    private static let interval = Duration.seconds(5)

    private let clock: DatabaseClock
    private let system: WallClock
    private let database: any TimeSource
    private let peers: [Peer]
    private let record: @Sendable (_ peer: String, _ secondsAhead: Double) -> Void
    private let logger: Logger
    /// The lead of this machine's clock in milliseconds, by the name of the server.
    private let ahead = Mutex<[String: Int64]>([:])

    private static let databaseName = "database"

    /// - Parameters:
    ///   - peers: others than the database.
    ///   - record: called with each comparison.
    package init(
        _ clock: DatabaseClock, system: WallClock = .system, database: any TimeSource, peers: [Peer],
        record: @escaping @Sendable (_ peer: String, _ secondsAhead: Double) -> Void, logger: Logger
    ) {
        self.clock = clock
        self.system = system
        self.database = database
        self.peers = peers
        self.logger = logger
        self.record = record
    }

    /// Compares until the task is cancelled.
    package func run() async {
        repeat { await compare() } while (try? await Task.sleep(for: Self.interval)) != nil
    }

    /// Compares once. What a server does not answer stays as it was.
    package func compare() async {
        if let difference = try? await clock.compare({ [database] () throws(StoreError) in
            try await database.databaseMilliseconds()
        }) {
            note(difference, to: Self.databaseName)
        }
        for peer in peers {
            let asked = system.milliseconds
            guard let time = await peer.read() else { continue }
            let answered = system.milliseconds
            guard answered - asked <= DatabaseClock.longestReading else { continue }
            note(asked + (answered - asked) / 2 - time, to: peer.name)
        }
    }

    private func note(_ difference: Int64, to name: String) {
        record(name, Double(difference) / 1000)
        let before = ahead.withLock { $0.updateValue(difference, forKey: name) } ?? 0
        let metadata: Logger.Metadata = ["peer": "\(name)", "ahead_seconds": "\(Double(difference) / 1000)"]
        switch (Self.isWrong(before), Self.isWrong(difference)) {
        case (false, true): logger.warning("clock of this machine is wrong", metadata: metadata)
        case (true, false): logger.notice("clock of this machine is right again", metadata: metadata)
        default: break
        }
    }

    private static func isWrong(_ difference: Int64) -> Bool { abs(difference) > tolerance }

    /// The clocks that differ too much, for operators.
    package var problems: [String] {
        ahead.withLock { $0 }.filter { Self.isWrong($0.value) }.sorted { $0.key < $1.key }.map { name, difference in
            let seconds = abs(difference) / 1000
            return "clock: this machine is \(seconds) s \(difference > 0 ? "ahead of" : "behind") the \(name)"
        }
    }
}
