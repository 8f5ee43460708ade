import CoreMetrics
import ParleyModel
import Synchronization

/// Shares concurrent equal reads: of a page that a thousand clients request at once, the store reads one copy at a
/// time.
///
/// The state is protected by one `Mutex`, never held across an `await`. At most `maximumWaiting` callers wait, for all
/// keys together.
final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private enum Outcome: Sendable {
        case value(Value)
        case failed(StoreError)
        case lead
    }

    private let table: Mutex<SingleFlightState<Key, CheckedContinuation<Outcome, Never>>>
    private let metrics: SingleFlightMetrics

    init(maximumWaiting: Int = 10_000, metrics: SingleFlightMetrics) {
        table = Mutex(SingleFlightState(maximumWaiting: maximumWaiting))
        self.metrics = metrics
    }

    /// - Parameter read: run by one of the callers with the same key.
    /// - Returns: a value read after this call began.
    func value(
        of key: Key, read: @Sendable () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let outcome: Outcome = await withCheckedContinuation { continuation in
            switch table.withLock({ $0.ask(key, waiter: continuation) }) {
            case .lead: continuation.resume(returning: .lead)
            case .wait: break
            case .refuse: continuation.resume(returning: .failed(.unavailable("too many page reads wait")))
            }
        }
        switch outcome {
        case .value(let value):
            metrics.shared.increment()
            return value
        case .failed(let error): throw error
        case .lead:
            metrics.read.increment()
            return try await lead(key, read)
        }
    }

    var waitingCount: Int { table.withLock { $0.waitingCount } }

    private func lead(_ key: Key, _ read: @Sendable () async throws(StoreError) -> Value) async throws(StoreError)
        -> Value
    {
        do {
            let value = try await read()
            complete(.value(value), table.withLock { $0.end(key, leaderWithdrew: false) })
            return value
        } catch {
            let hasWithdrawn = Task.isCancelled
            complete(.failed(error), table.withLock { $0.end(key, leaderWithdrew: hasWithdrawn) })
            throw error
        }
    }

    private func complete(
        _ outcome: Outcome, _ completion: SingleFlightState<Key, CheckedContinuation<Outcome, Never>>.Completion
    ) {
        for waiter in completion.sharers { waiter.resume(returning: outcome) }
        completion.leader?.resume(returning: .lead)
    }
}
