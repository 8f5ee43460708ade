import Logging
package import ParleyModel
import ServiceLifecycle

/// Runs a worker for each partition owned by this process.
///
/// The locks are balanced every `interval`. Workers of partitions that are lost or above the fair share are stopped at
/// the next point where nothing is half done; only then are their partitions released. One task owns all of this.
struct PartitionAssigner: Sendable {
    private enum Occurrence: Sendable {
        /// `nil` if the locks may be lost, so that nothing is owned.
        case balanced(PartitionAssignment?)
        case ended(Partition)
        /// The process is shutting down; the workers are notified and finish by themselves.
        case leaving
    }

    let partitions: [Partition]
    let locks: any PartitionLocks
    let interval: Duration
    let metrics: PersisterMetrics
    let logger: Logger
    let sleep: @Sendable (Duration) async throws -> Void
    /// Persists one partition until its stream ends, the shutdown is complete, or the task is cancelled.
    let work: @Sendable (Partition) async -> Void

    /// Returns when the shutdown is complete or the task is cancelled.
    func run() async {
        await withTaskGroup(of: Occurrence.self) { group in
            var running: [Partition: AsyncStream<Void>.Continuation] = [:]
            var share = PartitionAssignment(owned: [])
            group.addTask { await balance() }
            while let occurrence = await group.next() {
                switch occurrence {
                case .balanced(let reply):
                    if reply == nil, !share.owned.isEmpty {
                        logger.warning("partition locks may be lost, stopping all partition workers")
                    }
                    share = reply ?? PartitionAssignment(owned: [])
                    let kept = share.owned.subtracting(share.surplus)
                    for (partition, order) in running where !kept.contains(partition) { order.finish() }
                    await locks.release(share.surplus.filter { running[$0] == nil })
                    for partition in kept where running[partition] == nil {
                        running[partition] = start(partition, in: &group)
                    }
                    metrics.owns(kept)
                    if !Task.isCancelled { group.addTask { await balanceLater() } }
                case .ended(let partition):
                    running[partition] = nil
                    metrics.forget(partition)
                    if share.surplus.contains(partition) { await locks.release([partition]) }
                case .leaving:
                    break
                }
            }
        }
        await locks.leave()
        metrics.owns([])
    }

    /// - Returns: a function that stops the worker and returns when it has finished.
    private func start(
        _ partition: Partition, in group: inout TaskGroup<Occurrence>
    ) -> AsyncStream<Void>.Continuation {
        let (orders, order) = AsyncStream.makeStream(of: Void.self)
        group.addTask {
            await withTaskGroup(of: Void.self) { worker in
                worker.addTask { await work(partition) }
                worker.addTask { for await _ in orders {} }
                await worker.next()
                worker.cancelAll()
            }
            return .ended(partition)
        }
        return order
    }

    private func balanceLater() async -> Occurrence {
        await cancelWhenGracefulShutdown { try? await sleep(interval) }
        return Task.isShuttingDownGracefully ? .leaving : await balance()
    }

    private func balance() async -> Occurrence {
        do throws(StoreError) {
            return .balanced(try await locks.balance(partitions))
        } catch {
            logger.debug("failed to balance the partitions", metadata: ["error": "\(error)"])
            return .balanced(nil)
        }
    }
}

/// The locks of a single process, which owns every partition.
package struct AllPartitions: PartitionLocks {
    package init() {}

    package func balance(_ partitions: [Partition]) async throws(StoreError) -> PartitionAssignment {
        PartitionAssignment(owned: Set(partitions))
    }

    package func release(_ partitions: some Sequence<Partition> & Sendable) async {}

    package func leave() async {}
}
