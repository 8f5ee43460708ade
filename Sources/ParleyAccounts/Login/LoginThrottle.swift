package import ParleyModel

/// Counts failed logins by account and by address.
///
/// The window is fixed: it opens with a first failure, lasts a minute, and once the limit is reached in it, everything
/// is refused until it closes, right passwords too (an answer would tell a guesser that it was right). A success does
/// not clear it.
///
/// Memory is bounded: beyond `capacity` accounts or addresses, those that failed longest ago are forgotten. A failure
/// counts only after a password was hashed, so a flood of made-up names is slower than the minute it would have to
/// fill.
package struct LoginThrottle: Sendable {
    /// Who tries.
    package struct Attempt: Hashable, Sendable {
        /// `nil` for a text that can be no name: it counts against the address only.
        let account: String?
        let address: String

        /// - Parameter address: of IPv6 the first 64 bits count, since a subscriber has all the others.
        package init(account: String?, address: String) {
            self.account = account
            self.address = AddressBlock.name(of: address)
        }
    }

    private struct Window {
        var openedAt: Int64
        var failures: Int
    }

    private struct Counter {
        let limit: Int
        var windows: BriefCache<String, Window>

        func retryAfter(_ key: String, at now: Int64) -> Int64? {
            guard limit > 0, let window = open(key, at: now), window.failures >= limit else { return nil }
            return window.openedAt + LoginThrottle.windowMilliseconds - now
        }

        /// Other nodes have counted too.
        mutating func heard(_ counted: FailureWindow, of key: String, at now: Int64) {
            guard limit > 0 else { return }
            let known = open(key, at: now)
            guard counted.failures > known?.failures ?? 0 else { return }
            // Never open for longer than a window of our own would be.
            let openedAt =
                now - LoginThrottle.windowMilliseconds + min(counted.remaining, LoginThrottle.windowMilliseconds)
            windows.store(Window(openedAt: openedAt, failures: counted.failures), for: key, at: now)
        }

        mutating func failed(_ key: String, at now: Int64) {
            guard limit > 0 else { return }
            var window = open(key, at: now) ?? Window(openedAt: now, failures: 0)
            window.failures += 1
            windows.store(window, for: key, at: now)
        }

        private func open(_ key: String, at now: Int64) -> Window? {
            guard let window = windows.value(for: key, at: now),
                (0..<LoginThrottle.windowMilliseconds).contains(now - window.openedAt)
            else { return nil }
            return window
        }
    }

    /// How long a window is open.
    package static let windowMilliseconds: Int64 = 60_000

    private var accounts: Counter
    private var addresses: Counter

    /// - Parameter capacity: the most accounts, and the most addresses, that are remembered.
    package init(limits: Limits, capacity: Int = 16_384) {
        let windows = BriefCache<String, Window>(lifetime: Self.windowMilliseconds, capacity: capacity)
        accounts = Counter(limit: limits.loginFailuresPerAccountPerMinute, windows: windows)
        addresses = Counter(limit: limits.loginFailuresPerAddressPerMinute, windows: windows)
    }

    /// How many keys are remembered, of both kinds.
    package var count: Int { accounts.windows.count + addresses.windows.count }

    /// When an attempt may be made, in seconds from now, at least 1, and the limit that says so; `nil`: now.
    /// - Parameter now: Unix milliseconds.
    package func wait(_ attempt: Attempt, at now: Int64) -> (seconds: Int, limit: ReachedLimit)? {
        let ofAccount = attempt.account.flatMap { accounts.retryAfter($0, at: now) } ?? 0
        let ofAddress = addresses.retryAfter(attempt.address, at: now) ?? 0
        let longest = max(ofAccount, ofAddress)
        guard longest > 0 else { return nil }
        let limit = ofAccount == longest ? ReachedLimit.loginFailuresPerAccount : .loginFailuresPerAddress
        return (Int((longest + 999) / 1000), limit)
    }

    /// Takes over what was counted on all nodes, where it is more than what is known here.
    package mutating func heard(account: FailureWindow?, address: FailureWindow?, of attempt: Attempt, at now: Int64) {
        if let name = attempt.account, let account { accounts.heard(account, of: name, at: now) }
        if let address { addresses.heard(address, of: attempt.address, at: now) }
    }

    /// Whether failures of accounts, and of addresses, are counted at all.
    package var counts: (accounts: Bool, addresses: Bool) { (accounts.limit > 0, addresses.limit > 0) }

    /// An attempt failed.
    package mutating func failed(_ attempt: Attempt, at now: Int64) {
        if let account = attempt.account { accounts.failed(account, at: now) }
        addresses.failed(attempt.address, at: now)
    }
}
