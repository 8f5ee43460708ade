package import Logging
package import ParleyModel

/// Deletes rows of the audit log that are older than a number of days, in bounded steps. Any number of processes may do so.
package struct AuditRetention: Sendable {
    /// The maximum number of rows deleted in one step.
    package static let width = 500
    static let pause = Duration.seconds(60)
    private static let millisecondsPerDay: Int64 = 86_400_000

    private let log: any AuditLog
    private let milliseconds: Int64
    private let clock: WallClock
    private let logger: Logger

    /// - Parameter days: 1 to 36,500; `nil` is returned for any other number, and all rows are kept.
    package init?(_ log: any AuditLog, days: Int, clock: WallClock, logger: Logger) {
        guard (1...36_500).contains(days) else { return nil }
        self.log = log
        milliseconds = Int64(days) * Self.millisecondsPerDay
        self.clock = clock
        self.logger = logger
    }

    /// One step.
    /// - Returns: Whether more rows may be due.
    package func prune() async -> Bool {
        do throws(StoreError) {
            return try await log.pruneAudit(before: clock.milliseconds - milliseconds, limit: Self.width) == Self.width
        } catch {
            logger.debug("failed to delete old rows of the audit log", metadata: ["error": "\(error)"])
            return false
        }
    }
}
