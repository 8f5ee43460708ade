package import ParleyModel

/// Counts failed logins, so that guessing is bounded and cannot lock a user out.
///
/// - A **known device** of the user (`DeviceTokens`), or a login session of theirs, has a budget of its own. Failures
///   elsewhere never delay it, and its own failures delay no other device.
/// - All others share budgets: of the account at their address, of their address over all accounts, and of the account
///   over all addresses. The last one is the highest: it bounds guesses from many addresses.
///
/// The windows are fixed: one opens with the first failure and lasts a minute. Once a limit is reached, everything that
/// it covers is rejected until it closes, right passwords too (any other answer would confirm a guess). A success does
/// not clear it.
///
/// Bounded: above `capacity` keys of one kind, the least recently used are evicted. A failure counts only after a
/// password was hashed, so that a flood of invented names cannot fill the capacity within a minute.
package struct LoginThrottle: Sendable {
    /// Where an attempt comes from and which account it is for.
    package struct Attempt: Hashable, Sendable {
        /// The budgets that the attempt counts against.
        package let keys: [RateKey]

        /// - Parameters:
        ///   - account: `nil` for a text that is not a valid name: it counts against the address only.
        ///   - address: for IPv6 the first 64 bits count, since a subscriber has all the others.
        ///   - device: identifies the known device; `nil` for any other.
        package init(account: String?, address: String, device: String? = nil) {
            let address = AddressBlock.name(of: address)
            if let device {
                keys = [.loginDevice(device)]
            } else if let account {
                keys = [.loginAccount(account), .loginAddress(address), .loginPair(account, address: address)]
            } else {
                keys = [.loginAddress(address)]
            }
        }
    }

    /// The length of a window.
    package static let windowMilliseconds = AttemptWindows.milliseconds

    private enum Kind: CaseIterable {
        case account, address, pair, device

        init?(_ key: RateKey) {
            switch key {
            case .loginAccount: self = .account
            case .loginAddress: self = .address
            case .loginPair: self = .pair
            case .loginDevice: self = .device
            case .invitations, .sends, .reads, .typing, .signUps, .wrongLinks: return nil
            }
        }

        func limit(_ limits: Limits) -> Int {
            switch self {
            case .account: limits.loginFailuresPerAccountTotalPerMinute
            case .address: limits.loginFailuresPerAddressPerMinute
            case .pair, .device: limits.loginFailuresPerAccountPerMinute
            }
        }

        var reached: ReachedLimit {
            switch self {
            case .account: .loginFailuresPerAccountTotal
            case .address: .loginFailuresPerAddress
            case .pair, .device: .loginFailuresPerAccount
            }
        }
    }

    private var windows: [Kind: AttemptWindows]

    /// - Parameter capacity: maximum number of keys of one kind that are remembered.
    package init(limits: Limits, capacity: Int = 16_384) {
        windows = Dictionary(
            uniqueKeysWithValues: Kind.allCases.map {
                ($0, AttemptWindows(limit: $0.limit(limits), capacity: capacity))
            })
    }

    /// The number of keys remembered, of all kinds.
    package var count: Int { windows.values.reduce(0) { $0 + $1.count } }

    /// Seconds until an attempt is allowed, at least 1, and the limit that delays it; `nil` if it is allowed now.
    /// - Parameter now: Unix milliseconds.
    package func wait(_ attempt: Attempt, at now: Int64) -> (seconds: Int, limit: ReachedLimit)? {
        var longest: (wait: Int64, limit: ReachedLimit)?
        for key in attempt.keys {
            guard let kind = Kind(key), let wait = windows[kind]?.retryAfter(key.text, at: now) else { continue }
            if wait > longest?.wait ?? 0 { longest = (wait, kind.reached) }
        }
        return longest.map { (Int(($0.wait + 999) / 1000), $0.limit) }
    }

    /// Merges counts from all nodes, where they are higher than the local ones.
    package mutating func record(_ counted: [RateKey: FailureWindow], at now: Int64) {
        for (key, window) in counted {
            if let kind = Kind(key) { windows[kind]?.record(window, of: key.text, at: now) }
        }
    }

    /// The keys of an attempt that have a limit; only these are counted.
    package func counted(_ attempt: Attempt) -> [RateKey] {
        attempt.keys.filter { key in Kind(key).map { (windows[$0]?.limit ?? 0) > 0 } ?? false }
    }

    /// Counts a failed attempt.
    package mutating func failed(_ attempt: Attempt, at now: Int64) {
        for key in attempt.keys {
            if let kind = Kind(key) { windows[kind]?.add(key.text, at: now) }
        }
    }
}
