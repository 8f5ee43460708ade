package import ParleyModel
import Synchronization

/// The token buckets and failure windows of one process. Protected by a lock; bounded by `limit`.
package final class MemoryRateStore: RateStore {
    private struct State {
        /// When each bucket will be full, in microseconds.
        var buckets: [RateKey: Int64] = [:]
        var windows: [RateKey: (failures: Int, end: Int64)] = [:]
        /// The number of entries at which full buckets and ended windows are removed.
        var sweepAt: Int
        /// When the next sweep at the bound is due, in microseconds, so that a full store is not scanned on every call.
        var nextSweep: Int64 = 0
    }

    private let limit: Int
    private let clock: WallClock
    private let state: Mutex<State>

    /// - Parameter limit: the maximum number of buckets, and of windows; above it calls for new keys fail as
    ///   `unavailable`.
    package init(limit: Int = 200_000, clock: WallClock = .system) {
        self.limit = limit
        self.clock = clock
        state = Mutex(State(sweepAt: min(limit, 1024)))
    }

    /// The number of buckets and windows.
    package var count: Int { state.withLock { $0.buckets.count + $0.windows.count } }

    package func take(_ tokens: Int, of key: RateKey, at rate: TokenRate) async throws(SharedStoreError) -> Int64 {
        try taken(tokens, of: key, at: rate).get()
    }

    package func take(
        _ tokens: Int, of key: RateKey, at rate: TokenRate,
        completion: @escaping @Sendable (Result<Int64, SharedStoreError>) -> Void
    ) {
        completion(taken(tokens, of: key, at: rate))
    }

    private func taken(_ tokens: Int, of key: RateKey, at rate: TokenRate) -> Result<Int64, SharedStoreError> {
        let now = clock.milliseconds * 1000
        let wait = state.withLock { state -> Int64? in
            sweep(&state, at: now)
            let old = state.buckets[key]
            guard old != nil || state.buckets.count < limit else { return nil }
            let full = max(old ?? 0, now) + rate.interval * Int64(min(max(1, tokens), rate.burst))
            let wait = full - now - rate.interval * Int64(rate.burst)
            guard wait <= 0 else { return wait }
            state.buckets[key] = full
            return 0
        }
        return wait.map { .success($0) } ?? .failure(.unavailable("too many buckets"))
    }

    package func count(
        _ failures: Int, of key: RateKey, within milliseconds: Int64
    ) async throws(SharedStoreError) -> FailureWindow? {
        let now = clock.milliseconds
        let reply = state.withLock { state -> Result<FailureWindow?, SharedStoreError> in
            sweep(&state, at: now * 1000)
            var window = state.windows[key].flatMap { $0.end > now ? $0 : nil }
            if failures > 0 {
                guard state.windows[key] != nil || state.windows.count < limit else {
                    return .failure(.unavailable("too many windows"))
                }
                window =
                    (window?.failures ?? 0) + failures > 0
                    ? ((window?.failures ?? 0) + failures, window?.end ?? now + milliseconds) : nil
                state.windows[key] = window
            }
            return .success(window.map { FailureWindow(failures: $0.failures, remaining: $0.end - now) })
        }
        return try reply.get()
    }

    /// Removes full buckets and ended windows once the number of entries has doubled since the last sweep, so that each
    /// entry pays for one inspection.
    private func sweep(_ state: inout State, at now: Int64) {
        let isFull = (state.buckets.count >= limit || state.windows.count >= limit) && now >= state.nextSweep
        guard isFull || state.buckets.count + state.windows.count >= state.sweepAt else { return }
        state.nextSweep = now + 1_000_000
        state.buckets = state.buckets.filter { $0.value > now }
        state.windows = state.windows.filter { $0.value.end > now / 1000 }
        state.sweepAt = max(min(limit, 1024), 2 * (state.buckets.count + state.windows.count))
    }
}
