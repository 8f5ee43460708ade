package import ParleyModel

/// A token bucket of one node as a value: the instant at which it will be full.
package struct LocalRate: Hashable, Sendable {
    /// Microseconds by the caller's clock.
    private var full: Int64 = 0

    package init() {}

    /// Takes one token.
    /// - Parameter now: microseconds by a monotonic clock.
    package mutating func take(_ budget: Budget, at now: Int64) -> Permit {
        guard budget.perSecond > 0 else { return .granted }
        // Rounded up: at worst slightly slower than configured, never faster.
        let interval = 1 + (1_000_000 - 1) / Int64(budget.perSecond)
        let next = max(full, now) + interval
        let wait = next - now - interval * Int64(max(1, budget.burst))
        guard wait <= 0 else { return .wait(microseconds: wait) }
        full = next
        return .granted
    }

    /// Whether the bucket equals a new one.
    package func isFull(at now: Int64) -> Bool { full <= now }
}
