import Dispatch
import Foundation
import Synchronization

/// The thread on which a store writes batches, as a task executor.
///
/// A task that prefers this executor, as the persister of an embedded node does, reads entries, writes them and reports
/// them without a change of thread: SQLite may block here. Nothing else should run on it for long.
///
/// - The thread starts with the first job. It ends when `finish` was called and no job is left; a later job starts
///   another one, so that no task is stranded.
/// - The queue is bounded by the number of tasks that prefer this executor.
package final class WriterThread: TaskExecutor {
    fileprivate struct State {
        var jobs: [UnownedJob] = []
        var isRunning = false
        /// The thread waits for `work`.
        var isWaiting = false
        var isFinished = false
    }

    private let name: String
    private let state = Mutex(State())
    private let work = DispatchSemaphore(value: 0)

    package init(name: String) {
        self.name = name
    }

    /// Runs `body`, which may block, on the thread; without a change of thread if the task is on it.
    package func run<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
        try await withTaskExecutorPreference(self) { try await Self.perform(body) }
    }

    /// Goes to the executor that the task prefers; a closure that awaits nothing would run on its caller's thread.
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
            // On Linux, only a started thread can be named.
            thread.name = name
        } else if mustWake {
            work.signal()
        }
    }

    /// Ends the thread when no job is left.
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
