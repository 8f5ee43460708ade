package import Logging
package import ParleyModel

/// Deletes links, invitations and requests a day after they have ended, in bounded steps. Any number of processes may do so.
///
/// The day is for the user who took the last use of a link, and repeats the call after a lost answer.
package struct EntranceRetention: Sendable {
    /// The maximum number of rows of each kind that are deleted in one step.
    package static let width = 500
    /// The time from the end to the deletion.
    package static let milliseconds: Int64 = 86_400_000

    private let cleanups: any Cleanups
    private let clock: WallClock
    private let logger: Logger

    package init(_ cleanups: any Cleanups, clock: WallClock, logger: Logger) {
        self.cleanups = cleanups
        self.clock = clock
        self.logger = logger
    }

    /// One step.
    /// - Returns: Whether more rows may be due.
    package func prune() async -> Bool {
        do throws(StoreError) {
            let count = try await cleanups.removeEndedEntrances(
                before: clock.milliseconds - Self.milliseconds, limit: Self.width)
            return count >= Self.width
        } catch {
            logger.debug("failed to delete ended links, invitations and requests", metadata: ["error": "\(error)"])
            return false
        }
    }
}
