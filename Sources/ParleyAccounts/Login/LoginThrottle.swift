package import ParleyModel

/// Counts failed logins by account and by address.
///
/// The window is fixed: it opens with the first failure and lasts a minute. Once the limit is reached, everything is
/// rejected until it closes, right passwords too (any other answer would confirm a guess). A success does not clear it.
///
/// Bounded: above `capacity` accounts or addresses, the least recently used are evicted. A failure counts only after
/// a password was hashed, so that a flood of invented names cannot fill the capacity within a minute.
package struct LoginThrottle: Sendable {
    /// The account and address of an attempt.
    package struct Attempt: Hashable, Sendable {
        /// `nil` for a text that is not a valid name: it counts against the address only.
        let account: String?
        let address: String

        /// - Parameter address: for IPv6 the first 64 bits count, since a subscriber has all the others.
        package init(account: String?, address: String) {
            self.account = account
            self.address = AddressBlock.name(of: address)
        }
    }

    /// The length of a window.
    package static let windowMilliseconds = AttemptWindows.milliseconds

    private var accounts: AttemptWindows
    private var addresses: AttemptWindows

    /// - Parameter capacity: maximum number of accounts, and of addresses, remembered.
    package init(limits: Limits, capacity: Int = 16_384) {
        accounts = AttemptWindows(limit: limits.loginFailuresPerAccountPerMinute, capacity: capacity)
        addresses = AttemptWindows(limit: limits.loginFailuresPerAddressPerMinute, capacity: capacity)
    }

    /// The number of keys remembered, of both kinds.
    package var count: Int { accounts.count + addresses.count }

    /// Seconds until an attempt is allowed, at least 1, and the limit that delays it; `nil` if it is allowed now.
    /// - Parameter now: Unix milliseconds.
    package func wait(_ attempt: Attempt, at now: Int64) -> (seconds: Int, limit: ReachedLimit)? {
        let ofAccount = attempt.account.flatMap { accounts.retryAfter($0, at: now) } ?? 0
        let ofAddress = addresses.retryAfter(attempt.address, at: now) ?? 0
        let longest = max(ofAccount, ofAddress)
        guard longest > 0 else { return nil }
        let limit = ofAccount == longest ? ReachedLimit.loginFailuresPerAccount : .loginFailuresPerAddress
        return (Int((longest + 999) / 1000), limit)
    }

    /// Merges counts from all nodes, where they are higher than the local ones.
    package mutating func record(account: FailureWindow?, address: FailureWindow?, of attempt: Attempt, at now: Int64) {
        if let name = attempt.account, let account { accounts.record(account, of: name, at: now) }
        if let address { addresses.record(address, of: attempt.address, at: now) }
    }

    /// Whether failures by account, and by address, are counted at all.
    package var counts: (accounts: Bool, addresses: Bool) { (accounts.limit > 0, addresses.limit > 0) }

    /// Counts a failed attempt.
    package mutating func failed(_ attempt: Attempt, at now: Int64) {
        if let account = attempt.account { accounts.add(account, at: now) }
        addresses.add(attempt.address, at: now)
    }
}
