import Dispatch
import Foundation
import ParleyModel
import ParleyStorage
import Synchronization

/// Divides the readers of a store among the classes of calls, as `CallQueue` decides; a call that has passed finds a
/// free reader. The state is protected by a mutex; continuations are resumed outside it.
final class ReadGate: Sendable {
    private typealias Queue = CallQueue<CheckedContinuation<StoreError?, Never>, ContinuousClock.Instant>

    private struct State {
        var queue: Queue
        var number: UInt64 = 0
        /// A call of `expire()` is scheduled.
        var isTimed = false
    }

    private let state: Mutex<State>
    private let waitLimit: Duration

    /// - Parameters:
    ///   - waiters: the most calls of a class that wait; further ones are refused.
    ///   - waitLimit: how long a call waits.
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
    /// - Throws: `unavailable` if none becomes free within the wait limit, if too many calls wait, or if the task is
    ///   cancelled before; errors of `body`.
    func perform<Value: Sendable>(
        _ kind: CallClass, _ body: () async throws -> Value
    ) async throws -> Value {
        try await enter(kind)
        defer { leave(kind) }
        return try await body()
    }

    /// The number of calls that wait.
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

    /// Refuses the calls whose limit has passed, and schedules itself for the next one.
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
