import Synchronization

/// Lets equal reads that come at the same time share one: of what a thousand callers want at once, one copy at a time is
/// read.
///
/// Owner of the state: one `Mutex`, under which nothing is awaited. At most `maximumWaiting` wait, for all keys.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable, Failure: Error>: Sendable {
    private enum Outcome: Sendable {
        case value(Value)
        case failed(Failure)
        case lead
    }

    private let table: Mutex<SingleFlightState<Key, CheckedContinuation<Outcome, Never>>>
    private let overflow: Failure

    /// - Parameter overflow: what a call above `maximumWaiting` throws.
    package init(maximumWaiting: Int, overflow: Failure) {
        table = Mutex(SingleFlightState(maximumWaiting: maximumWaiting))
        self.overflow = overflow
    }

    /// - Parameter read: run by one of those who ask for the same key.
    /// - Returns: what was read after this call had begun, and whether another caller has read it.
    package func value(
        of key: Key, read: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> (value: Value, isShared: Bool) {
        let outcome: Outcome = await withCheckedContinuation { continuation in
            switch table.withLock({ $0.ask(key, waiter: continuation) }) {
            case .lead: continuation.resume(returning: .lead)
            case .wait: break
            case .refuse: continuation.resume(returning: .failed(overflow))
            }
        }
        switch outcome {
        case .value(let value): return (value, true)
        case .failed(let error): throw error
        case .lead: return (try await lead(key, read), false)
        }
    }

    package var waitingCount: Int { table.withLock { $0.waitingCount } }

    private func lead(_ key: Key, _ read: @Sendable () async throws(Failure) -> Value) async throws(Failure) -> Value {
        do throws(Failure) {
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
