import Synchronization

/// Runs asynchronous work that event loops ask for, as children of one task, so that none outlives the node.
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

    /// - Parameter limit: the most pieces of work that wait or run; more are refused.
    package init(limit: Int = 100_000) {
        self.limit = limit
        (stream, continuation) = AsyncStream.makeStream(of: Piece.self, bufferingPolicy: .bufferingOldest(limit))
    }

    /// Hands in a piece of work; never blocks.
    /// - Parameter executor: where it runs; anywhere if not given.
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

    /// Runs what is handed in until `finish` is called or the task is cancelled; then waits for what still runs.
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

    /// Takes no more work; `run` returns when what was handed in is done.
    package func finish() {
        continuation.finish()
    }
}
