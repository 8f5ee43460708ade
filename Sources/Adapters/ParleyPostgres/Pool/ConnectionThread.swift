import Dispatch
import Foundation
import Synchronization

/// A dedicated thread that runs the jobs of one actor, so that the actor is allowed to block.
///
/// A mutex protects the queue of jobs. The number of concurrent calls to the actor limits its length.
final class ConnectionThread: SerialExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)

    /// Starts the thread, which runs until `stop()`.
    init(name: String) {
        let thread = Thread { [self] in run() }
        thread.name = name
        thread.start()
    }

    /// Stops the thread once the queue is empty. No job may be enqueued afterwards.
    func stop() {
        state.withLock { $0.isStopped = true }
        signal.signal()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        signal.signal()
    }

    private func run() {
        while true {
            signal.wait()
            let (jobs, isStopped) = state.withLock { state in
                defer { state.jobs.removeAll() }
                return (state.jobs, state.isStopped)
            }
            for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
            if isStopped { return }
        }
    }
}
