import Synchronization

/// Counts open connections, and lets tasks wait until there are none. Its state is owned by a mutex.
final class ActivityCounter: Sendable {
    private struct State {
        var count = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// Tasks no longer wait.
        var isGivenUp = false

        mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
            defer { waiting = [] }
            return waiting
        }
    }

    private let state = Mutex(State())

    func enter() {
        state.withLock { $0.count += 1 }
    }

    func leave() {
        let waiting = state.withLock { state in
            state.count -= 1
            return state.count == 0 ? state.takeWaiting() : []
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when the count is 0, or `giveUp` was called.
    func reached() async {
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard state.count > 0, !state.isGivenUp else { return false }
                state.waiting.append(continuation)
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    /// Ends all present and future waits in `reached`.
    func giveUp() {
        let waiting = state.withLock { state in
            state.isGivenUp = true
            return state.takeWaiting()
        }
        for continuation in waiting { continuation.resume() }
    }
}
