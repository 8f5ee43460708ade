import Logging
package import ParleyModel
import ServiceLifecycle

/// Runs a worker for each group of partitions, with the partitions of the group that this process owns.
///
/// The locks are balanced every `interval`. When other partitions of a group are owned than before, its worker is
/// stopped at the next point where nothing is half done, and another one begins; only then are partitions above the
/// fair share released. One task owns all of this.
struct PartitionAssigner: Sendable {
    private enum Occurrence: Sendable {
        /// `nil` if the locks may be lost, so that nothing is owned.
        case balanced(PartitionAssignment?)
        /// The worker of a group has ended.
        case ended(group: Int)
        /// The process is shutting down; the workers are notified and finish by themselves.
        case leaving
    }

    /// A running worker.
    private struct Worker {
        let partitions: Set<Partition>
        /// Stops the worker when finished.
        let order: AsyncStream<Void>.Continuation
    }

    let groups: [[Partition]]
    let locks: any PartitionLocks
    let interval: Duration
    let metrics: PersisterMetrics
    let logger: Logger
    let sleep: @Sendable (Duration) async throws -> Void
    /// Persists partitions of one group until their stream ends, the shutdown is complete, or the task is cancelled.
    let work: @Sendable ([Partition]) async -> Void

    /// Returns when the shutdown is complete or the task is cancelled.
    func run() async {
        await withTaskGroup(of: Occurrence.self) { tasks in
            var running: [Int: Worker] = [:]
            var share = PartitionAssignment(owned: [])
            tasks.addTask { await balance() }
            while let occurrence = await tasks.next() {
                switch occurrence {
                case .balanced(let reply):
                    if reply == nil, !share.owned.isEmpty {
                        logger.warning("partition locks may be lost, stopping all partition workers")
                    }
                    share = reply ?? PartitionAssignment(owned: [])
                    let busy = running.values.reduce(into: Set()) { $0.formUnion($1.partitions) }
                    await locks.release(share.surplus.subtracting(busy))
                    for group in groups.indices { adjust(group, to: share, &running, &tasks) }
                    metrics.owns(share.kept)
                    if !Task.isCancelled { tasks.addTask { await balanceLater() } }
                case .ended(let group):
                    guard let worker = running.removeValue(forKey: group) else { break }
                    for partition in worker.partitions.subtracting(share.kept) { metrics.forget(partition) }
                    await locks.release(share.surplus.intersection(worker.partitions))
                    // A worker that has ended by itself begins again after the next balancing.
                    if worker.partitions != kept(of: group, share), !Task.isShuttingDownGracefully {
                        adjust(group, to: share, &running, &tasks)
                    }
                case .leaving:
                    break
                }
            }
        }
        await locks.leave()
        metrics.owns([])
    }

    private func kept(of group: Int, _ share: PartitionAssignment) -> Set<Partition> {
        share.kept.intersection(groups[group])
    }

    /// Starts the worker of a group, or stops it if it must work on other partitions.
    private func adjust(
        _ group: Int, to share: PartitionAssignment, _ running: inout [Int: Worker],
        _ tasks: inout TaskGroup<Occurrence>
    ) {
        let kept = kept(of: group, share)
        if let worker = running[group] {
            if worker.partitions != kept { worker.order.finish() }
        } else if !kept.isEmpty {
            running[group] = start(group, kept, in: &tasks)
        }
    }

    private func start(_ group: Int, _ partitions: Set<Partition>, in tasks: inout TaskGroup<Occurrence>) -> Worker {
        let (orders, order) = AsyncStream.makeStream(of: Void.self)
        tasks.addTask {
            await withTaskGroup(of: Void.self) { worker in
                worker.addTask { await work(groups[group].filter(partitions.contains)) }
                worker.addTask { for await _ in orders {} }
                await worker.next()
                worker.cancelAll()
            }
            return .ended(group: group)
        }
        return Worker(partitions: partitions, order: order)
    }

    private func balanceLater() async -> Occurrence {
        await cancelWhenGracefulShutdown { try? await sleep(interval) }
        return Task.isShuttingDownGracefully ? .leaving : await balance()
    }

    private func balance() async -> Occurrence {
        do throws(StoreError) {
            return .balanced(try await locks.balance(groups.flatMap { $0 }))
        } catch {
            logger.debug("failed to balance the partitions", metadata: ["error": "\(error)"])
            return .balanced(nil)
        }
    }
}

extension PartitionAssignment {
    /// The partitions to work on.
    fileprivate var kept: Set<Partition> { owned.subtracting(surplus) }
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
