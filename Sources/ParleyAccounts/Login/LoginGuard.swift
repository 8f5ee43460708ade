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
        let counts = throttle.withLock { $0.counts }
        let window = LoginThrottle.windowMilliseconds
        var (ofAccount, ofAddress): (FailureWindow?, FailureWindow?)
        if counts.accounts, let name = attempt.account {
            ofAccount = try? await rates.count(failures, of: .loginAccount(name), within: window)
        }
        if counts.addresses {
            ofAddress = try? await rates.count(failures, of: .loginAddress(attempt.address), within: window)
        }
        throttle.withLock { [ofAccount, ofAddress] in
            $0.record(account: ofAccount, address: ofAddress, of: attempt, at: now)
        }
    }
}
