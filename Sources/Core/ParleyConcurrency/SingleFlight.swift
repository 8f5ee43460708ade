import Synchronization

/// Lets concurrent reads of the same key share one result: however many callers there are, one read per key is in
/// progress at a time.
///
/// The state is protected by a `Mutex`, which is not held during a read. At most `maximumWaiting` callers wait, over
/// all keys.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable, Failure: Error>: Sendable {
    private enum Outcome: Sendable {
        case value(Value)
        case failed(Failure)
        case lead
    }

    private let table: Mutex<SingleFlightState<Key, CheckedContinuation<Outcome, Never>>>
    private let overflow: Failure

    /// - Parameter overflow: the error of a call above `maximumWaiting`.
    package init(maximumWaiting: Int, overflow: Failure) {
        table = Mutex(SingleFlightState(maximumWaiting: maximumWaiting))
        self.overflow = overflow
    }

    /// - Parameter read: run by one of the callers with the same key.
    /// - Returns: a value that was read after this call had begun, and whether another caller has read it.
    package func value(
        of key: Key, read: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> (value: Value, isShared: Bool) {
        let outcome: Outcome = await withCheckedContinuation { continuation in
            switch table.withLock({ $0.request(key, waiter: continuation) }) {
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
