import Dispatch
import Foundation
import Synchronization

/// Threads of their own for password hashing, so that neither an event loop nor the cooperative pool stands still.
///
/// At most `parallelism` pieces of work run at once. What waits does so in a queue of its kind, at most `maximumWaiting`
/// in each, in the order it came. Checks go first, so that a flood of new passwords holds nobody's login up for longer
/// than the hashes under way take; of five turns one is a new password's, so that logins do not keep these waiting for
/// ever. The state is owned by a mutex.
package final class PasswordWorkers: Sendable {
    /// Why work was not done.
    package enum Rejection: Error, Hashable, Sendable {
        /// As much waits as may.
        case busy
        case shutDown
    }

    /// What is hashed for.
    package enum Kind: Sendable {
        /// Somebody logs in.
        case check
        /// A new password: a sign-up, an import, a change.
        case new
    }

    /// `true`: do the work; `false`: say that it will not be done.
    private typealias Job = @Sendable (Bool) -> Void

    private struct State {
        var running = 0
        var checks: [Job] = []
        var news: [Job] = []
        /// Checks that went before a new password that waited, one after another.
        var checksInARow = 0
        var isShutDown = false
        /// Resumed when nothing runs any more.
        var shutDowns: [CheckedContinuation<Void, Never>] = []

        /// What the worker does next, or else whom it tells that all is done.
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

    /// One less than the machine has cores, at least 1: something is left for the chat.
    package static var defaultParallelism: Int { max(1, ProcessInfo.processInfo.activeProcessorCount - 1) }

    /// Checks that may go before a new password that waits.
    private static let checksBeforeNew = 4

    private let parallelism: Int
    private let maximumWaiting: Int
    private let queue = DispatchQueue(label: "parley.passwords", qos: .utility, attributes: .concurrent)
    private let state = Mutex(State())

    package init(parallelism: Int = PasswordWorkers.defaultParallelism, maximumWaiting: Int = 256) {
        self.parallelism = max(1, parallelism)
        self.maximumWaiting = max(0, maximumWaiting)
    }

    /// Does `work` on a thread of ours, when its turn comes.
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

    /// Refuses what waits and what comes, and returns when nothing runs any more.
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
