package import Logging
package import ParleyModel

/// Deletes rows of a table that are older than a number of days, in bounded steps. Any number of processes may do so.
package struct RowRetention: Sendable {
    /// Deletes the oldest rows before an instant, in Unix milliseconds, up to a limit, and returns their number.
    package typealias Prune = @Sendable (_ before: Int64, _ limit: Int) async throws(StoreError) -> Int

    /// The maximum number of rows deleted in one step.
    package static let width = 500
    package static let pause = Duration.seconds(60)
    private static let millisecondsPerDay: Int64 = 86_400_000

    private let milliseconds: Int64
    private let clock: WallClock
    private let logger: Logger
    private let delete: Prune

    /// - Parameter days: 1 to 36,500; `nil` is returned for any other number, and all rows are kept.
    package init?(days: Int, clock: WallClock, logger: Logger, _ delete: @escaping Prune) {
        guard (1...36_500).contains(days) else { return nil }
        milliseconds = Int64(days) * Self.millisecondsPerDay
        self.clock = clock
        self.logger = logger
        self.delete = delete
    }

    /// One step.
    /// - Returns: Whether more rows may be due.
    package func prune() async -> Bool {
        do throws(StoreError) {
            return try await delete(clock.milliseconds - milliseconds, Self.width) == Self.width
        } catch {
            logger.debug("failed to delete old rows", metadata: ["error": "\(error)"])
            return false
        }
    }
}
