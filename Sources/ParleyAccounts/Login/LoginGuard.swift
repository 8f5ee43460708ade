package import ParleyModel
import Synchronization

/// The `LoginThrottle` of this process, owned by a mutex.
package final class LoginGuard: Sendable {
    private let throttle: Mutex<LoginThrottle>

    package init(limits: Limits) {
        throttle = Mutex(LoginThrottle(limits: limits))
    }

    /// See `LoginThrottle.retryAfterSeconds`.
    package func retryAfterSeconds(_ attempt: LoginThrottle.Attempt, at now: Int64) -> Int? {
        throttle.withLock { $0.retryAfterSeconds(attempt, at: now) }
    }

    /// See `LoginThrottle.failed`.
    package func failed(_ attempt: LoginThrottle.Attempt, at now: Int64) {
        throttle.withLock { $0.failed(attempt, at: now) }
    }
}
