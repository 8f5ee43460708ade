import Dispatch
import Foundation
import Synchronization

/// A thread that runs the jobs of one actor and nothing else, so that the actor may block.
///
/// The jobs that wait are behind a mutex; they are bounded by the calls to the actor.
final class ConnectionThread: SerialExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)

    /// Starts the thread; it lives until `stop()`.
    init(name: String) {
        let thread = Thread { [self] in run() }
        thread.name = name
        thread.start()
    }

    /// The thread ends once it has run what waits. Nothing may be enqueued after this.
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
