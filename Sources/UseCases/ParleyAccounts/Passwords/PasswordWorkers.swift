import Dispatch
import Foundation
import Synchronization

/// Dedicated threads for password hashing, so that neither an event loop nor the cooperative pool is blocked.
///
/// At most `parallelism` jobs run at once. Jobs wait in one FIFO queue per kind, at most `maximumWaiting` in each.
/// Checks take precedence, so that a flood of new passwords delays logins by no more than the hashes in progress; of
/// five jobs one is for a new password, so that logins do not starve those. The state is protected by a mutex.
package final class PasswordWorkers: Sendable {
    /// The reason that a job was not run.
    package enum Rejection: Error, Hashable, Sendable {
        /// The queue is full.
        case busy
        case shutDown
    }

    /// The purpose of a job.
    package enum Kind: Sendable {
        /// A login.
        case check
        /// A new password: sign-up, import or change.
        case new
    }

    /// `true` runs the job; `false` reports its rejection.
    private typealias Job = @Sendable (Bool) -> Void

    private struct State {
        var running = 0
        var checks: [Job] = []
        var news: [Job] = []
        /// Consecutive checks run while a new password was waiting.
        var checksInARow = 0
        var isShutDown = false
        /// Resumed when no job is running.
        var shutDowns: [CheckedContinuation<Void, Never>] = []

        /// The next job of a worker, otherwise the shut-downs to resume.
        mutating func finishOne() -> (next: Job?, shutDowns: [CheckedContinuation<Void, Never>]) {
            if let next = takeNext() { return (next, []) }
            running -= 1
            guard running == 0 else { return (nil, []) }
            defer { shutDowns = [] }
            return (nil, shutDowns)
        }

        private mutating func takeNext() -> Job? {
            if checks.isEmpty || (checksInARow >= PasswordWorkers.checksBeforeNew && !news.isEmpty) {
                checksInARow = 0
                return news.isEmpty ? nil : news.removeFirst()
            }
            checksInARow = news.isEmpty ? 0 : checksInARow + 1
            return checks.removeFirst()
        }
    }

    private enum Admission {
        case start, wait
        case refuse(Rejection)
    }

    /// One less than the number of cores, at least 1: leaves a core for chat traffic.
    package static var defaultParallelism: Int { max(1, ProcessInfo.processInfo.activeProcessorCount - 1) }

    /// Maximum number of checks that may overtake a waiting new password.
    private static let checksBeforeNew = 4

    private let parallelism: Int
    private let maximumWaiting: Int
    private let queue = DispatchQueue(label: "parley.passwords", qos: .utility, attributes: .concurrent)
    private let state = Mutex(State())

    package init(parallelism: Int = PasswordWorkers.defaultParallelism, maximumWaiting: Int = 256) {
        self.parallelism = max(1, parallelism)
        self.maximumWaiting = max(0, maximumWaiting)
    }

    /// Runs `work` on a dedicated thread, when its turn comes.
    package func run<Value: Sendable>(
        _ kind: Kind, _ work: @escaping @Sendable () -> Value
    ) async throws(Rejection) -> Value {
        let result: Result<Value, Rejection> = await withCheckedContinuation { continuation in
            let job: Job = { isWanted in
                continuation.resume(returning: isWanted ? .success(work()) : .failure(.shutDown))
            }
            switch admit(job, kind) {
            case .start: queue.async { self.work(from: job) }
            case .wait: break
            case .refuse(let rejection): continuation.resume(returning: .failure(rejection))
            }
        }
        return try result.get()
    }

    /// Rejects waiting and new jobs, and returns when none is running.
    package func shutDown() async {
        await withCheckedContinuation { continuation in
            let (refused, isIdle) = state.withLock { state in
                state.isShutDown = true
                let refused = state.checks + state.news
                state.checks = []
                state.news = []
                if state.running > 0 { state.shutDowns.append(continuation) }
                return (refused, state.running == 0)
            }
            for job in refused { job(false) }
            if isIdle { continuation.resume() }
        }
    }

    private func admit(_ job: @escaping Job, _ kind: Kind) -> Admission {
        state.withLock { state in
            if state.isShutDown { return .refuse(.shutDown) }
            if state.running < parallelism {
                state.running += 1
                return .start
            }
            switch kind {
            case .check:
                guard state.checks.count < maximumWaiting else { return .refuse(.busy) }
                state.checks.append(job)
            case .new:
                guard state.news.count < maximumWaiting else { return .refuse(.busy) }
                state.news.append(job)
            }
            return .wait
        }
    }

    /// The body of a worker: runs this job, then waiting ones.
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
