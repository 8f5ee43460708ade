package import Logging
package import ParleyModel
import ServiceLifecycle
import Synchronization

/// Finishes erasures and deletions every second, both its own and work that other processes left, and deletes old rows of
/// tables, and of ways into threads.
///
/// At most `width` run at a time, each in its own task: a slow or failing one does not delay the others. Any number of
/// processes may run this service.
///
/// The number of tasks is protected by a `Mutex`.
package final class CleanupService: Service {
    /// Maximum number of concurrent cleanups.
    package static let width = 4
    private static let pause = Duration.seconds(1)

    private let cleanups: any Cleanups
    private let sends: any SendMemory
    private let retentions: [RowRetention]
    private let entrances: EntranceRetention?
    private let logger: Logger
    private let sleep: @Sendable (Duration) async throws -> Void
    private let running = Mutex(0)

    /// - Parameters:
    ///   - retentions: each deletes old rows of a table every minute.
    ///   - entrances: deletes ended links, invitations and requests every minute; `nil` keeps all.
    ///   - sleep: waits; throws when the task is cancelled.
    package init(
        cleanups: any Cleanups, sends: any SendMemory, retentions: [RowRetention] = [],
        entrances: EntranceRetention? = nil, logger: Logger,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.cleanups = cleanups
        self.sends = sends
        self.retentions = retentions
        self.entrances = entrances
        self.logger = logger
        self.sleep = sleep
    }

    /// Runs until the shutdown, or until the task is cancelled.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                for retention in retentions {
                    group.addTask { [self] in await repeatEachMinute { await retention.prune() } }
                }
                if let entrances { group.addTask { [self] in await repeatEachMinute { await entrances.prune() } } }
                repeat {
                    for cleanup in await claim(Self.width - running.withLock { $0 }) {
                        running.withLock { $0 += 1 }
                        group.addTask { [self] in
                            await finish(cleanup)
                            running.withLock { $0 -= 1 }
                        }
                    }
                } while (try? await sleep(Self.pause)) != nil
                group.cancelAll()
            }
        }
    }

    /// Deletes old rows every minute, until the task is cancelled.
    /// - Parameter step: returns whether more rows may be due.
    private func repeatEachMinute(_ step: () async -> Bool) async {
        repeat {
            while !Task.isCancelled, await step() {}
        } while (try? await sleep(RowRetention.pause)) != nil
    }

    /// Finishes one cleanup, then others that are due.
    private func finish(_ first: Cleanup) async {
        var next: Cleanup? = first
        while let cleanup = next {
            do throws(StoreError) {
                try await cleanups.finish(cleanup, forgetting: sends)
            } catch {
                if Task.isCancelled { return }
                // The claim expires soon, and some process tries again.
                logger.warning(
                    "failed to finish an erasure or a deletion",
                    metadata: ["subject": "\(cleanup.subject.stored.kind)", "error": "\(error)"])
                return
            }
            next = Task.isCancelled ? nil : await claim(1).first
        }
    }

    private func claim(_ limit: Int) async -> [Cleanup] {
        guard limit > 0 else { return [] }
        do throws(StoreError) {
            return try await cleanups.claimCleanups(limit: limit)
        } catch {
            logger.debug("failed to claim cleanups", metadata: ["error": "\(error)"])
            return []
        }
    }
}
