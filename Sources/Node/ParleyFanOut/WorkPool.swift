package import NIOCore
import Synchronization

/// Runs asynchronous work for event loops, as children of one task, so that no work outlives the node.
///
/// Each executor has its own queue, which it serves itself. Work that an event loop submits to itself therefore wakes
/// no other thread.
package final class WorkPool: Sendable {
    package typealias Work = @Sendable () async -> Void

    private struct Queue: Sendable {
        let executor: (any TaskExecutor)?
        let work: AsyncStream<Work>
        let continuation: AsyncStream<Work>.Continuation

        init(on executor: (any TaskExecutor)?, limit: Int) {
            self.executor = executor
            (work, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(limit))
        }
    }

    private struct Queues {
        let shared: Queue
        var ofExecutors: [ObjectIdentifier: Queue] = [:]
        var hasFinished = false
    }

    private let limit: Int
    private let count = Atomic<Int>(0)
    private let queues: Mutex<Queues>
    private let opened: AsyncStream<Queue>
    private let open: AsyncStream<Queue>.Continuation

    /// - Parameter limit: The maximum number of waiting and running pieces of work. Further work is refused.
    package init(limit: Int = 100_000) {
        self.limit = limit
        (opened, open) = AsyncStream.makeStream()
        let shared = Queue(on: nil, limit: limit)
        queues = Mutex(Queues(shared: shared))
        open.yield(shared)
    }

    /// Submits a piece of work without blocking.
    /// - Parameter executor: The executor that runs it; `nil` selects the default executor.
    /// - Returns: `false` if the work is refused, because the limit is reached or the pool has ended.
    package func submit(on executor: LoopExecutor? = nil, _ work: @escaping Work) -> Bool {
        guard count.wrappingAdd(1, ordering: .relaxed).newValue <= limit else {
            count.wrappingSubtract(1, ordering: .relaxed)
            return false
        }
        if case .enqueued = queue(on: executor).continuation.yield(work) { return true }
        count.wrappingSubtract(1, ordering: .relaxed)
        return false
    }

    private func queue(on executor: LoopExecutor?) -> Queue {
        queues.withLock { queues in
            guard let executor, !queues.hasFinished else { return queues.shared }
            if let known = queues.ofExecutors[ObjectIdentifier(executor)] { return known }
            let queue = Queue(on: executor, limit: limit)
            queues.ofExecutors[ObjectIdentifier(executor)] = queue
            open.yield(queue)
            return queue
        }
    }

    /// Runs submitted work until `finish` is called or the task is cancelled, and then waits for running work.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await queue in opened {
                group.addTask(executorPreference: queue.executor) { await self.serve(queue) }
            }
            // Also reached after a cancellation, when no task would serve a new queue.
            finish()
        }
    }

    private func serve(_ queue: Queue) async {
        await withDiscardingTaskGroup { group in
            for await work in queue.work {
                // Runs on the executor of this task.
                group.addTask {
                    await work()
                    self.count.wrappingSubtract(1, ordering: .relaxed)
                }
            }
        }
    }

    /// Refuses further work. `run` returns when the submitted work is done.
    package func finish() {
        let queues = queues.withLock { queues in
            queues.hasFinished = true
            return [queues.shared] + queues.ofExecutors.values
        }
        for queue in queues { queue.continuation.finish() }
        open.finish()
    }
}

/// Runs tasks on an event loop, for short work that soon returns to that loop, without waking another thread.
///
/// A task that prefers this executor runs on the loop between its awaits, including in default actors, so it must not
/// compute for long.
package final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    package init(_ loop: any EventLoop) {
        self.loop = loop
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
