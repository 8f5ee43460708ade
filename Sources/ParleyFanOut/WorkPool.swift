package import NIOCore
import Synchronization

/// Runs asynchronous work for event loops, as children of one task, so that none outlives the node.
///
/// Each executor has a queue of its own, which is served on that executor: work that an event loop submits to itself
/// wakes no other thread.
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

    /// - Parameter limit: the maximum number of pieces of work that wait or run; more are refused.
    package init(limit: Int = 100_000) {
        self.limit = limit
        (opened, open) = AsyncStream.makeStream()
        let shared = Queue(on: nil, limit: limit)
        queues = Mutex(Queues(shared: shared))
        open.yield(shared)
    }

    /// Submits a piece of work; never blocks.
    /// - Parameter executor: runs it; the default executor if not given.
    /// - Returns: `false` if it is refused, because too much waits or the pool has ended.
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

    /// Runs submitted work until `finish` is called or the task is cancelled; then waits for what still runs.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await queue in opened {
                group.addTask(executorPreference: queue.executor) { await self.serve(queue) }
            }
            // Also after a cancellation, when nobody would serve a new queue.
            finish()
        }
    }

    private func serve(_ queue: Queue) async {
        await withDiscardingTaskGroup { group in
            for await work in queue.work {
                // On the executor of this task.
                group.addTask {
                    await work()
                    self.count.wrappingSubtract(1, ordering: .relaxed)
                }
            }
        }
    }

    /// Refuses further work; `run` returns when the submitted work is done.
    package func finish() {
        let queues = queues.withLock { queues in
            queues.hasFinished = true
            return [queues.shared] + queues.ofExecutors.values
        }
        for queue in queues { queue.continuation.finish() }
        open.finish()
    }
}

/// Runs tasks on an event loop, for short work that returns there soon anyway: no other thread is woken.
///
/// A task that prefers it runs on the loop between its awaits, within default actors too, so it must not compute for
/// long.
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
