package import Logging
package import ParleyModel
import ServiceLifecycle
import Synchronization

/// Removes files that nothing refers to: those of deleted messages and threads and of erased users at once, uploads
/// that were never finished or sent when they are due.
///
/// The bytes are removed before the row, by a call that may be repeated: whoever is killed in between leaves a claim
/// that expires, and the next one removes both. Each step is bounded; any number of processes may run this service.
package final class AttachmentSweeper: Service {
    /// Maximum number of uses checked, and of files removed, in one step.
    package static let width = 100
    private static let pause = Duration.seconds(1)
    /// How long a process works without a failure before it ends uses whose messages are not stored: after a long outage
    /// of the persisters or of the database, messages as old as that may still wait to be stored.
    package static let settlingMilliseconds: Int64 = 3_600_000

    private let store: any AttachmentStore
    private let blobs: any BlobStore
    private let orphanMilliseconds: Int64
    private let clock: WallClock
    /// Since when the database has answered, as far as this process knows.
    private let workingSince: Mutex<Int64>
    private let logger: Logger
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - orphanMilliseconds: how old a use without a stored message may become.
    ///   - sleep: waits; throws when the task is cancelled.
    package init(
        store: any AttachmentStore, blobs: any BlobStore, orphanMilliseconds: Int64, clock: WallClock, logger: Logger,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.store = store
        self.blobs = blobs
        self.orphanMilliseconds = orphanMilliseconds
        self.clock = clock
        workingSince = Mutex(clock.milliseconds)
        self.logger = logger
        self.sleep = sleep
    }

    /// Runs until the shutdown, or until the task is cancelled.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            repeat {
                while !Task.isCancelled, await sweep() {}
            } while (try? await sleep(Self.pause)) != nil
        }
    }

    /// One step.
    /// - Returns: whether more may be left to do at once.
    package func sweep() async -> Bool {
        let now = clock.milliseconds
        do throws(StoreError) {
            let isSettled = now - workingSince.withLock { $0 } >= Self.settlingMilliseconds
            let age = isSettled ? orphanMilliseconds : Int64.max / 2
            let checked = try await store.checkUses(at: now, age: age, limit: Self.width)
            let claimed = try await store.claimRemovals(at: now, limit: Self.width)
            var removed: [AttachmentID] = []
            for attachment in claimed {
                do {
                    try await blobs.remove(attachment)
                    removed.append(attachment.id)
                } catch {
                    // Claimed again when the claim expires.
                    logger.warning(
                        "failed to remove the bytes of an attachment",
                        metadata: ["attachment": "\(attachment.id)", "error": "\(error)"])
                }
            }
            try await store.removedAttachments(removed)
            return checked == Self.width || removed.count == Self.width
        } catch {
            workingSince.withLock { $0 = clock.milliseconds }
            logger.debug("failed to remove attachments", metadata: ["error": "\(error)"])
            return false
        }
    }
}
