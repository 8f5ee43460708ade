import Dispatch
import Foundation
import Synchronization

/// A task executor for the thread on which a store writes batches.
///
/// The persister of an embedded node prefers this executor, and thus reads, writes and reports entries without changing
/// threads. SQLite may block here. No other work should occupy the thread for long.
///
/// - The thread starts with the first job. It ends after a call of `finish` when no jobs remain. A later job starts
///   another thread, so that no task is stranded.
/// - The number of tasks that prefer this executor limits the length of the queue.
package final class WriterThread: TaskExecutor {
    fileprivate struct State {
        var jobs: [UnownedJob] = []
        var isRunning = false
        /// Whether the thread is waiting for `work`.
        var isWaiting = false
        var isFinished = false
    }

    private let name: String
    private let state = Mutex(State())
    private let work = DispatchSemaphore(value: 0)

    package init(name: String) {
        self.name = name
    }

    /// Runs `body`, which may block, on the thread. Does not change threads if the task is already on it.
    package func run<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
        try await withTaskExecutorPreference(self) { try await Self.perform(body) }
    }

    /// Runs on the executor that the task prefers. A closure that does not suspend would run on the thread of its
    /// caller.
    @concurrent
    private static func perform<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
        try body()
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let (mustStart, mustWake) = state.withLock { state in
            state.jobs.append(job)
            defer { (state.isRunning, state.isWaiting) = (true, false) }
            return (!state.isRunning, state.isWaiting)
        }
        if mustStart {
            let thread = Thread { self.loop() }
            thread.start()
            // On Linux, a thread can only be named after it has started.
            thread.name = name
        } else if mustWake {
            work.signal()
        }
    }

    /// Ends the thread when no jobs remain.
    package func finish() {
        let mustWake = state.withLock { state in
            state.isFinished = true
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if mustWake { work.signal() }
    }

    fileprivate enum Turn {
        case run([UnownedJob])
        case wait
        case end
    }

    private func loop() {
        while true {
            switch state.withLock({ $0.nextTurn() }) {
            case .run(let jobs): for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
            case .wait: work.wait()
            case .end: return
            }
        }
    }
}

extension WriterThread.State {
    fileprivate mutating func nextTurn() -> WriterThread.Turn {
        if !jobs.isEmpty {
            defer { jobs = [] }
            return .run(jobs)
        }
        if isFinished {
            isRunning = false
            return .end
        }
        isWaiting = true
        return .wait
    }
}
