import ParleyModel
import Synchronization

/// Budgets that are all used up, or all full. Records what is taken.
final class SwitchedRates: RateStore {
    private let state: Mutex<(wait: Int64, taken: [RateKey])>

    /// - Parameter wait: the microseconds after which to retry; 0 if the budgets are full.
    init(wait: Int64) {
        state = Mutex((wait, []))
    }

    var taken: [RateKey] { state.withLock { $0.taken } }

    func fill() {
        state.withLock { $0.wait = 0 }
    }

    func take(_ tokens: Int, of key: RateKey, at rate: TokenRate) async -> Int64 {
        state.withLock { state in
            if state.wait == 0 { state.taken.append(key) }
            return state.wait
        }
    }

    func take(
        _ tokens: Int, of key: RateKey, at rate: TokenRate,
        completion: @escaping @Sendable (Result<Int64, SharedStoreError>) -> Void
    ) {
        completion(.success(0))
    }

    func count(_ failures: Int, of key: RateKey, within milliseconds: Int64) async -> FailureWindow? { nil }
}
