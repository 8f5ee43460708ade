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

    /// How long a window is open.
    package static let windowMilliseconds = AttemptWindows.milliseconds

    private var accounts: AttemptWindows
    private var addresses: AttemptWindows

    /// - Parameter capacity: the most accounts, and the most addresses, that are remembered.
    package init(limits: Limits, capacity: Int = 16_384) {
        accounts = AttemptWindows(limit: limits.loginFailuresPerAccountPerMinute, capacity: capacity)
        addresses = AttemptWindows(limit: limits.loginFailuresPerAddressPerMinute, capacity: capacity)
    }

    /// How many keys are remembered, of both kinds.
    package var count: Int { accounts.count + addresses.count }

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
        if let account = attempt.account { accounts.add(account, at: now) }
        addresses.add(attempt.address, at: now)
    }
}
