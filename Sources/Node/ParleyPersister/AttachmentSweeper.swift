package import Logging
package import ParleyMessaging
package import ParleyModel
import ServiceLifecycle

/// Removes files that nothing refers to: files of deleted messages, deleted threads and erased users at once, uploads
/// that were never finished or sent when they are due.
///
/// Before that it ends the uses of messages that were never accepted, some seconds after they were made: what is not
/// decided while the log or the database is unavailable is decided some seconds after both are back.
///
/// The bytes are removed before the row, by a call that may be repeated: a process that is killed in between leaves a
/// claim that expires, and the next one removes both. Each step is bounded; any number of processes may run this
/// service.
package final class AttachmentSweeper: Service {
    /// Maximum number of uses checked, and of files removed, in one step.
    package static let width = 100
    private static let pause = Duration.seconds(1)

    private let store: any AttachmentStore
    private let blobs: any BlobStore
    private let uses: UnstoredUses
    private let clock: WallClock
    private let logger: Logger
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter sleep: waits; throws when the task is cancelled.
    package init(
        store: any AttachmentStore, blobs: any BlobStore, uses: UnstoredUses, clock: WallClock, logger: Logger,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.store = store
        self.blobs = blobs
        self.uses = uses
        self.clock = clock
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
            let checked = try await store.checkUses(at: now, limit: Self.width)
            await endLost(checked.unconfirmed, at: now)
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
            return checked.count == Self.width || removed.count == Self.width
        } catch {
            logger.debug("failed to remove attachments", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// Ends uses of messages that were never accepted. The uses of a host that does not answer are left for the next
    /// check after the first of them, so that the others do not wait for it.
    private func endLost(_ unconfirmed: Set<AttachmentUse>, at now: Int64) async {
        var away: Set<Int> = []
        for use in unconfirmed {
            let host = uses.host(of: use)
            guard !away.contains(host) else { continue }
            do throws(StoreError) {
                if try await uses.endIfLost(use, due: now + AttachmentUse.retryMilliseconds) {
                    logger.debug(
                        "ended the use of a message that was not sent", metadata: ["message": "\(use.message)"])
                }
            } catch {
                away.insert(host)
                logger.debug("could not decide about the use of an attachment", metadata: ["error": "\(error)"])
            }
        }
    }
}
