import Logging
import ParleyModel
import ServiceLifecycle

/// Runs a worker for each partition that this process has at the moment.
///
/// Every `interval` the locks are asked. Workers of what is lost or above the fair share are ended at the next point
/// where nothing is half done; only then others may have the partition. One task owns all of this.
struct PartitionAssigner: Sendable {
    private enum Occurrence: Sendable {
        /// `nil`: everything must be taken for lost.
        case balanced(PartitionAssignment?)
        case ended(Partition)
        /// The process is told to shut down; the workers know it and come to their end by themselves.
        case leaving
    }

    let partitions: [Partition]
    let locks: any PartitionLocks
    let interval: Duration
    let metrics: PersisterMetrics
    let logger: Logger
    let sleep: @Sendable (Duration) async throws -> Void
    /// Stores one partition until its stream ends, the shutdown is done, or the task is cancelled.
    let work: @Sendable (Partition) async -> Void

    /// Returns when the shutdown is done or the task is cancelled.
    func run() async {
        await withTaskGroup(of: Occurrence.self) { group in
            var running: [Partition: AsyncStream<Void>.Continuation] = [:]
            var share = PartitionAssignment(owned: [])
            group.addTask { await balance() }
            while let occurrence = await group.next() {
                switch occurrence {
                case .balanced(let reply):
                    if reply == nil, !share.owned.isEmpty {
                        logger.warning("the locks of the partitions may be lost, so none is worked on")
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

    /// - Returns: what ends the worker, when finished.
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
            logger.debug("the partitions could not be shared out", metadata: ["error": "\(error)"])
            return .balanced(nil)
        }
    }
}
