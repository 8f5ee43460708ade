package import ParleyModel
import Synchronization

/// Limits the accounts that an address may create in a minute, over all nodes. The node's own count is behind a mutex,
/// and applies alone while the shared one (`rates`) is unavailable.
package final class SignUpThrottle: Sendable {
    private let windows: Mutex<AttemptWindows>
    private let limit: Int
    private let rates: (any RateStore)?
    private let limitReached: @Sendable (ReachedLimit) -> Void

    /// - Parameters:
    ///   - rates: the count of all nodes; `nil` for a single node.
    ///   - limitReached: called for each attempt that is delayed.
    ///   - capacity: maximum number of addresses remembered.
    package init(
        limits: Limits, rates: (any RateStore)? = nil,
        limitReached: @escaping @Sendable (ReachedLimit) -> Void = { _ in }, capacity: Int = 16_384
    ) {
        limit = limits.signUpsPerAddressPerMinute
        windows = Mutex(AttemptWindows(limit: limit, capacity: capacity))
        self.rates = rates
        self.limitReached = limitReached
    }

    /// Counts an attempt, if allowed.
    /// - Parameter now: Unix milliseconds.
    /// - Returns: `nil` if it is allowed, otherwise the seconds to wait, at least 1.
    package func take(from address: String, at now: Int64) async -> Int? {
        guard limit > 0 else { return nil }
        let block = AddressBlock.name(of: address)
        // An attempt that exceeds the local limit costs no call.
        if let wait = add(block, at: now) { return wait }
        guard let rates,
            let window = try? await rates.count(1, of: .signUps(block), within: AttemptWindows.milliseconds)
        else { return nil }
        windows.withLock { $0.record(window, of: block, at: now) }
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
