import Synchronization

/// Says that something has changed, any number of times, to observers who only want to know that it has: a counter, so
/// that nothing is queued however slow they are. Guarded by a mutex.
final class Signal: Sendable {
    private struct State {
        var version = 1
        var isFinished = false
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Int?, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Something has changed.
    func raise() {
        wake { $0.version += 1 }
    }

    /// Nothing will change any more.
    func finish() {
        wake { $0.isFinished = true }
    }

    var version: Int { state.withLock { $0.version } }

    private func wake(_ change: (inout State) -> Void) {
        let (waiters, result) = state.withLock { state in
            change(&state)
            defer { state.waiters = [:] }
            return (state.waiters, state.isFinished ? nil : state.version)
        }
        for waiter in waiters.values { waiter.resume(returning: result) }
    }

    /// Waits until the version is not `seen`.
    /// - Returns: the version; `nil` when finished or when the task is cancelled.
    func next(after seen: Int) async -> Int? {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result: Int?? = state.withLock { state in
                    if state.isFinished || Task.isCancelled { return .some(nil) }
                    if state.version != seen { return state.version }
                    state.waiters[number] = continuation
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(returning: nil)
        }
    }
}
