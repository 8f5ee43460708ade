package import Logging
package import ParleyModel
import ServiceLifecycle
import Synchronization

/// Finishes erasures and deletions, every second and for ever: those of this process and those that others have left.
///
/// At most `width` at a time, each in a task of its own: one that takes long or fails holds up no other. Any number of
/// processes may do so at the same time.
///
/// Owner of the count: a `Mutex`.
package final class CleanupService: Service {
    /// How many are worked on at the same time.
    package static let width = 4
    private static let pause = Duration.seconds(1)

    private let cleanups: any Cleanups
    private let logger: Logger
    private let sleep: @Sendable (Duration) async throws -> Void
    private let running = Mutex(0)

    /// - Parameter sleep: waits; throws when the task is cancelled.
    package init(
        cleanups: any Cleanups, logger: Logger,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.cleanups = cleanups
        self.logger = logger
        self.sleep = sleep
    }

    /// Works until the shutdown, or until the task is cancelled.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
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

    /// Finishes one, and then whatever else is due.
    private func finish(_ first: Cleanup) async {
        var next: Cleanup? = first
        while let cleanup = next {
            do throws(StoreError) {
                try await cleanups.finish(cleanup)
            } catch {
                if Task.isCancelled { return }
                // The claim ends soon, and somebody tries again.
                logger.warning(
                    "an erasure or a deletion could not be finished",
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
            logger.debug("what is left to erase could not be read", metadata: ["error": "\(error)"])
            return []
        }
    }
}
