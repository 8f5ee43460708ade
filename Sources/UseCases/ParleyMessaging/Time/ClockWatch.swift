package import Logging
package import ParleyModel
import Synchronization

/// Compares this machine's clock with the clocks of the servers that all nodes share, and keeps the `DatabaseClock` accurate.
///
/// A wrong machine clock does no harm, since ages are computed from the database's clock. But its log lines and the dates of
/// certificates are wrong, so operators are notified: in the log when the difference begins and ends, in a metric
/// (`parley_clock_ahead_seconds`), and by `problems`. A lock protects the last comparisons.
package final class ClockWatch: Sendable {
    /// A server, and a function that reads its time in Unix milliseconds, or returns `nil` if the server does not respond.
    package struct Peer: Sendable {
        package let name: String
        package let read: @Sendable () async -> Int64?

        package init(name: String, read: @escaping @Sendable () async -> Int64?) {
            self.name = name
            self.read = read
        }
    }

    /// The tolerated difference between clocks, in milliseconds.
    package static let tolerance: Int64 = 5000
    /// The interval between comparisons.
    private static let interval = Duration.seconds(5)

    private let clock: DatabaseClock
    private let system: WallClock
    private let database: any TimeSource
    private let peers: [Peer]
    private let record: @Sendable (_ peer: String, _ secondsAhead: Double) -> Void
    private let logger: Logger
    /// The lead of this machine's clock in milliseconds, by server name.
    private let ahead = Mutex<[String: Int64]>([:])

    private static let databaseName = "database"

    /// - Parameters:
    ///   - peers: The servers other than the database.
    ///   - record: Called with each comparison.
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

    /// Compares clocks until the task is cancelled.
    package func run() async {
        repeat { await compare() } while (try? await Task.sleep(for: Self.interval)) != nil
    }

    /// Compares clocks once. The result for a server that does not respond stays as it was.
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

    /// The clocks that differ too much, as texts for operators.
    package var problems: [String] {
        ahead.withLock { $0 }.filter { Self.isWrong($0.value) }.sorted { $0.key < $1.key }.map { name, difference in
            let seconds = abs(difference) / 1000
            return "clock: this machine is \(seconds) s \(difference > 0 ? "ahead of" : "behind") the \(name)"
        }
    }
}
