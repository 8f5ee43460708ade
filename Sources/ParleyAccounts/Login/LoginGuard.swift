package import ParleyModel
import Synchronization

/// The `LoginThrottle` of this process, owned by a mutex, and what it learns from the other nodes by a ledger.
///
/// Each node counts by itself too, and the higher count is right: while the ledger is away, and for attempts at the
/// same moment, the node's own limits hold.
package final class LoginGuard: Sendable {
    private let throttle: Mutex<LoginThrottle>
    private let rates: (any RateStore)?
    private let limitReached: @Sendable (ReachedLimit) -> Void

    /// - Parameters:
    ///   - ledger: where all nodes count; `nil`: this one is alone.
    ///   - limitReached: called for each attempt that has to wait.
    package init(
        limits: Limits, rates: (any RateStore)? = nil,
        limitReached: @escaping @Sendable (ReachedLimit) -> Void = { _ in }
    ) {
        throttle = Mutex(LoginThrottle(limits: limits))
        self.rates = rates
        self.limitReached = limitReached
    }

    /// When an attempt that is to be made now may be; see `LoginThrottle.wait`.
    package func retryAfterSeconds(_ attempt: LoginThrottle.Attempt, at now: Int64) -> Int? {
        guard let wait = throttle.withLock({ $0.wait(attempt, at: now) }) else { return nil }
        limitReached(wait.limit)
        return wait.seconds
    }

    /// See `LoginThrottle.failed`; `share` tells the other nodes.
    package func failed(_ attempt: LoginThrottle.Attempt, at now: Int64) {
        throttle.withLock { $0.failed(attempt, at: now) }
    }

    /// Learns what the other nodes have counted of an attempt that is about to be made.
    package func refresh(_ attempt: LoginThrottle.Attempt, at now: Int64) async {
        await ask(0, attempt, at: now)
    }

    /// Tells the other nodes of an attempt that `failed`, and learns what they have counted.
    package func share(_ attempt: LoginThrottle.Attempt, at now: Int64) async {
        await ask(1, attempt, at: now)
    }

    private func ask(_ failures: Int, _ attempt: LoginThrottle.Attempt, at now: Int64) async {
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
            $0.heard(account: ofAccount, address: ofAddress, of: attempt, at: now)
        }
    }
}
