package import NIOCore
import Synchronization

/// Runs asynchronous work for event loops, as children of one task, so that none outlives the node.
package final class WorkPool: Sendable {
    package typealias Work = @Sendable () async -> Void

    private struct Piece: Sendable {
        let work: Work
        let executor: (any TaskExecutor)?
    }

    private let stream: AsyncStream<Piece>
    private let continuation: AsyncStream<Piece>.Continuation
    private let limit: Int
    private let count = Atomic<Int>(0)

    /// - Parameter limit: the maximum number of pieces of work that wait or run; more are refused.
    package init(limit: Int = 100_000) {
        self.limit = limit
        (stream, continuation) = AsyncStream.makeStream(of: Piece.self, bufferingPolicy: .bufferingOldest(limit))
    }

    /// Submits a piece of work; never blocks.
    /// - Parameter executor: runs it; the default executor if not given.
    /// - Returns: `false` if it is refused, because too much waits or the pool has ended.
    package func submit(on executor: (any TaskExecutor)? = nil, _ work: @escaping Work) -> Bool {
        guard count.wrappingAdd(1, ordering: .relaxed).newValue <= limit else {
            count.wrappingSubtract(1, ordering: .relaxed)
            return false
        }
        if case .enqueued = continuation.yield(Piece(work: work, executor: executor)) { return true }
        count.wrappingSubtract(1, ordering: .relaxed)
        return false
    }

    /// Runs submitted work until `finish` is called or the task is cancelled; then waits for what still runs.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await piece in stream {
                group.addTask(executorPreference: piece.executor) {
                    await piece.work()
                    self.count.wrappingSubtract(1, ordering: .relaxed)
                }
            }
        }
    }

    /// Refuses further work; `run` returns when the submitted work is done.
    package func finish() {
        continuation.finish()
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
