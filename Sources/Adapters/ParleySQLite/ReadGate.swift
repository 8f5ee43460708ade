import Dispatch
import Foundation
import ParleyModel
import ParleyStorage
import Synchronization

/// Divides the readers of a store among the classes of calls, in the order that `CallQueue` determines. A call that has
/// passed the gate finds a free reader. A mutex protects the state; continuations are resumed outside it.
final class ReadGate: Sendable {
    private typealias Queue = CallQueue<CheckedContinuation<StoreError?, Never>, ContinuousClock.Instant>

    private struct State {
        var queue: Queue
        var number: UInt64 = 0
        /// Whether a call of `expire()` is scheduled.
        var isTimed = false
    }

    private let state: Mutex<State>
    private let waitLimit: Duration

    /// - Parameters:
    ///   - waiters: the maximum number of calls of one class that wait; further calls are refused.
    ///   - waitLimit: the maximum time that a call waits.
    init(readers: Int, waiters: Int, waitLimit: Duration) {
        state = Mutex(
            State(
                queue: Queue(
                    CallShares(
                        connections: readers, hasWriter: true,
                        processors: ProcessInfo.processInfo.activeProcessorCount),
                    limit: waiters)))
        self.waitLimit = waitLimit
    }

    /// Runs `body` as soon as a reader is free for its class.
    /// - Throws: `unavailable` if no reader becomes free within the wait limit, if too many calls are waiting, or if
    ///   the task is cancelled while it waits. Rethrows the errors of `body`.
    func perform<Value: Sendable>(
        _ kind: CallClass, _ body: () async throws -> Value
    ) async throws -> Value {
        try await enter(kind)
        defer { leave(kind) }
        return try await body()
    }

    /// The number of waiting calls.
    var waiting: Int { state.withLock { $0.queue.count } }

    private static let cancelled = StoreError.unavailable("the call was cancelled")

    private func enter(_ kind: CallClass) async throws(StoreError) {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        let error = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Queue.Waiter(number: number, kind: kind, until: .now + waitLimit, caller: continuation)
                switch state.withLock({ $0.queue.ask(waiter) }) {
                case .granted: continuation.resume(returning: nil)
                case .refused(let waiting):
                    continuation.resume(returning: .unavailable("\(waiting) reads are already waiting"))
                case .waits:
                    expire()
                    // The task may have been cancelled before the call was enqueued.
                    if Task.isCancelled { refuse(number) }
                }
            }
        } onCancel: {
            refuse(number)
        }
        if let error { throw error }
    }

    private func leave(_ kind: CallClass) {
        let next = state.withLock { $0.queue.giveBack(kind) }
        next?.caller.resume(returning: nil)
    }

    private func refuse(_ number: UInt64) {
        state.withLock { $0.queue.remove(number) }?.caller.resume(returning: Self.cancelled)
    }

    /// Refuses the calls whose wait limit has passed, and schedules itself for the next one.
    private func expire() {
        let now = ContinuousClock.now
        let (late, next) = state.withLock { state -> ([Queue.Waiter], ContinuousClock.Instant?) in
            let late = state.queue.removeLate(at: now)
            guard !state.isTimed, let next = state.queue.nextDeadline else { return (late, nil) }
            state.isTimed = true
            return (late, next)
        }
        for waiter in late { waiter.caller.resume(returning: .unavailable("no reader was free within \(waitLimit)")) }
        guard let next else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + now.duration(to: next) / .seconds(1)) { [weak self] in
            self?.state.withLock { $0.isTimed = false }
            self?.expire()
        }
    }
}
