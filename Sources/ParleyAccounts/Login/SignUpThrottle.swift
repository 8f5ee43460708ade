package import ParleyModel
import Synchronization

/// How many accounts an address may make in a minute, over all nodes. The node's own count is behind a mutex, and
/// holds alone while the cluster's (`rates`) is away.
package final class SignUpThrottle: Sendable {
    private let windows: Mutex<AttemptWindows>
    private let limit: Int
    private let rates: (any RateStore)?
    private let limitReached: @Sendable (ReachedLimit) -> Void

    /// - Parameters:
    ///   - rates: the count of all nodes; `nil`: this one is alone.
    ///   - limitReached: called for each attempt that has to wait.
    ///   - capacity: the most addresses that are remembered.
    package init(
        limits: Limits, rates: (any RateStore)? = nil,
        limitReached: @escaping @Sendable (ReachedLimit) -> Void = { _ in }, capacity: Int = 16_384
    ) {
        limit = limits.signUpsPerAddressPerMinute
        windows = Mutex(AttemptWindows(limit: limit, capacity: capacity))
        self.rates = rates
        self.limitReached = limitReached
    }

    /// Counts an attempt, if there is room for it.
    /// - Parameter now: Unix milliseconds.
    /// - Returns: `nil`, or the seconds after which there is room, at least 1.
    package func take(from address: String, at now: Int64) async -> Int? {
        guard limit > 0 else { return nil }
        let block = AddressBlock.name(of: address)
        // Who is known to be over the limit costs the other nodes nothing.
        if let wait = add(block, at: now) { return wait }
        guard let rates,
            let window = try? await rates.count(1, of: .signUps(block), within: AttemptWindows.milliseconds)
        else { return nil }
        windows.withLock { $0.heard(window, of: block, at: now) }
        guard window.failures > limit else { return nil }
        return refused(after: window.remaining)
    }

    private func add(_ block: String, at now: Int64) -> Int? {
        let wait = windows.withLock { windows -> Int64? in
            if let wait = windows.retryAfter(block, at: now) { return wait }
            windows.add(block, at: now)
            return nil
        }
        return wait.map { refused(after: $0) }
    }

    private func refused(after milliseconds: Int64) -> Int {
        limitReached(.signUpsPerAddress)
        return max(1, Int((milliseconds + 999) / 1000))
    }
}
