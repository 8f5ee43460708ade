import Dispatch
import Foundation
import Synchronization

/// Threads of their own for password hashing, so that neither an event loop nor the cooperative pool stands still.
///
/// At most `parallelism` pieces of work run at once, at most `maximumWaiting` wait, in the order they came. The state
/// is owned by a mutex.
package final class PasswordWorkers: Sendable {
    /// Why work was not done.
    package enum Refusal: Error, Hashable, Sendable {
        /// As much waits as may.
        case busy
        case shutDown
    }

    /// `true`: do the work; `false`: say that it will not be done.
    private typealias Job = @Sendable (Bool) -> Void

    private struct State {
        var running = 0
        var waiting: [Job] = []
        var isShutDown = false
        /// Resumed when nothing runs any more.
        var shutDowns: [CheckedContinuation<Void, Never>] = []

        /// What the worker does next, or else whom it tells that all is done.
        mutating func finishOne() -> (next: Job?, shutDowns: [CheckedContinuation<Void, Never>]) {
            if !waiting.isEmpty { return (waiting.removeFirst(), []) }
            running -= 1
            guard running == 0 else { return (nil, []) }
            defer { shutDowns = [] }
            return (nil, shutDowns)
        }
    }

    private enum Admission {
        case start, wait
        case refuse(Refusal)
    }

    /// One less than the machine has cores, at least 1: something is left for the chat.
    package static var defaultParallelism: Int { max(1, ProcessInfo.processInfo.activeProcessorCount - 1) }

    private let parallelism: Int
    private let maximumWaiting: Int
    private let queue = DispatchQueue(label: "parley.passwords", qos: .utility, attributes: .concurrent)
    private let state = Mutex(State())

    package init(parallelism: Int = PasswordWorkers.defaultParallelism, maximumWaiting: Int = 256) {
        self.parallelism = max(1, parallelism)
        self.maximumWaiting = max(0, maximumWaiting)
    }

    /// Does `work` on a thread of ours, when its turn comes.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async throws(Refusal) -> Value {
        let result: Result<Value, Refusal> = await withCheckedContinuation { continuation in
            let job: Job = { isWanted in
                continuation.resume(returning: isWanted ? .success(work()) : .failure(.shutDown))
            }
            switch admit(job) {
            case .start: queue.async { self.work(from: job) }
            case .wait: break
            case .refuse(let refusal): continuation.resume(returning: .failure(refusal))
            }
        }
        return try result.get()
    }

    /// Refuses what waits and what comes, and returns when nothing runs any more.
    package func shutDown() async {
        await withCheckedContinuation { continuation in
            let (refused, isIdle) = state.withLock { state in
                state.isShutDown = true
                let refused = state.waiting
                state.waiting = []
                if state.running > 0 { state.shutDowns.append(continuation) }
                return (refused, state.running == 0)
            }
            for job in refused { job(false) }
            if isIdle { continuation.resume() }
        }
    }

    private func admit(_ job: @escaping Job) -> Admission {
        state.withLock { state in
            if state.isShutDown { return .refuse(.shutDown) }
            if state.running < parallelism {
                state.running += 1
                return .start
            }
            guard state.waiting.count < maximumWaiting else { return .refuse(.busy) }
            state.waiting.append(job)
            return .wait
        }
    }

    /// One worker: this job, then whatever waits.
    private func work(from first: @escaping Job) {
        var next: Job? = first
        while let job = next {
            job(true)
            let (waiting, shutDowns) = state.withLock { $0.finishOne() }
            for continuation in shutDowns { continuation.resume() }
            next = waiting
        }
    }
}
