package import ParleyModel
import Synchronization

/// The `LoginThrottle` of this process behind a mutex, synchronised with other nodes through a shared store.
///
/// Each node also counts locally, and the higher count decides: the node's own limits apply while the store is
/// unavailable, and to concurrent attempts.
package final class LoginGuard: Sendable {
    private let throttle: Mutex<LoginThrottle>
    private let rates: (any RateStore)?
    private let limitReached: @Sendable (ReachedLimit) -> Void

    /// - Parameters:
    ///   - rates: where all nodes count; `nil` for a single node.
    ///   - limitReached: called for each attempt that is delayed.
    package init(
        limits: Limits, rates: (any RateStore)? = nil,
        limitReached: @escaping @Sendable (ReachedLimit) -> Void = { _ in }
    ) {
        throttle = Mutex(LoginThrottle(limits: limits))
        self.rates = rates
        self.limitReached = limitReached
    }

    /// Seconds until an attempt is allowed; see `LoginThrottle.wait`.
    package func retryAfterSeconds(_ attempt: LoginThrottle.Attempt, at now: Int64) -> Int? {
        guard let wait = throttle.withLock({ $0.wait(attempt, at: now) }) else { return nil }
        limitReached(wait.limit)
        return wait.seconds
    }

    /// See `LoginThrottle.failed`; `share` reports it to the other nodes.
    package func failed(_ attempt: LoginThrottle.Attempt, at now: Int64) {
        throttle.withLock { $0.failed(attempt, at: now) }
    }

    /// Reads what all nodes have counted, before an attempt is made.
    package func refresh(_ attempt: LoginThrottle.Attempt, at now: Int64) async {
        await count(0, attempt, at: now)
    }

    /// Reports a failed attempt to the other nodes, and reads what they have counted.
    package func share(_ attempt: LoginThrottle.Attempt, at now: Int64) async {
        await count(1, attempt, at: now)
    }

    private func count(_ failures: Int, _ attempt: LoginThrottle.Attempt, at now: Int64) async {
        guard let rates else { return }
        let keys = throttle.withLock { $0.counted(attempt) }
        // At the same time: each is a round trip.
        let counted = await withTaskGroup(of: (RateKey, FailureWindow?).self) { group in
            for key in keys {
                group.addTask {
                    (key, try? await rates.count(failures, of: key, within: LoginThrottle.windowMilliseconds))
                }
            }
            return await group.reduce(into: [RateKey: FailureWindow]()) { $0[$1.0] = $1.1 }
        }
        throttle.withLock { $0.record(counted, at: now) }
    }
}
