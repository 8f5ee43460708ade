/// Notifies any number of observers that something has changed. A counter replaces a queue, so slow observers cost no
/// memory. A lock guards the state.
package final class Signal: Sendable {
    private struct State {
        var version = 1
        var isFinished = false
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Int?, Never>] = [:]
    }

    private let state = Locked(State())

    package init() {}

    /// Notifies the observers of a change.
    package func raise() {
        wake { $0.version += 1 }
    }

    /// Notifies the observers that no change will follow.
    package func finish() {
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

    /// Waits until the version differs from `seen`.
    /// - Returns: The version; `nil` if the signal is finished or the task is cancelled.
    package func next(after seen: Int) async -> Int? {
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
