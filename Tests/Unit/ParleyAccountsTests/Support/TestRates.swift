import ParleyModel
import Synchronization

/// Failure windows shared by several worlds, with a switch that makes them unavailable.
final class TestRates: RateStore {
    private struct State {
        var failures: [RateKey: Int] = [:]
        var isAway = false
    }

    private let state = Mutex(State())

    func setAway(_ isAway: Bool) {
        state.withLock { $0.isAway = isAway }
    }

    func take(_ tokens: Int, of key: RateKey, at rate: TokenRate) async throws(SharedStoreError) -> Int64 { 0 }

    func take(
        _ tokens: Int, of key: RateKey, at rate: TokenRate,
        completion: @escaping @Sendable (Result<Int64, SharedStoreError>) -> Void
    ) {
        completion(.success(0))
    }

    func count(
        _ failures: Int, of key: RateKey, within milliseconds: Int64
    ) async throws(SharedStoreError) -> FailureWindow? {
        let count = state.withLock { state -> Int? in
            guard !state.isAway else { return nil }
            state.failures[key, default: 0] += failures
            return state.failures[key]
        }
        guard let count else { throw .unavailable("away") }
        return count > 0 ? FailureWindow(failures: count, remaining: milliseconds) : nil
    }
}
