/// What is used up over all nodes: token buckets and failures within a window, each known by its key.
///
/// A bucket or window that nobody touches is forgotten by itself once it is full or over. While the ledger is away each
/// node goes on with a limit of its own.
package protocol RateStore: Sendable {
    /// Takes tokens out of a bucket, all or none.
    /// - Parameter tokens: at least 1; more than the burst are taken as the burst.
    /// - Returns: 0 if they are taken, else the microseconds after which asking makes sense again.
    func take(_ tokens: Int, of key: RateKey, at rate: TokenRate) async throws(SharedStoreError) -> Int64

    /// Adds failures to a window, which opens with the first and lasts as long as it says.
    /// - Parameters:
    ///   - failures: 0 to look only.
    ///   - milliseconds: how long the window is open.
    /// - Returns: `nil` if no window is open.
    func count(_ failures: Int, of key: RateKey, within milliseconds: Int64) async throws(SharedStoreError)
        -> FailureWindow?
}

/// Whose bucket or window it is.
package enum RateKey: Hashable, Sendable {
    /// What a user sends.
    case sends(UserID)
    /// The read marks of a user that are told to others.
    case reads(UserID)
    /// The signs of typing of a user.
    case typing(UserID)
    /// Wrong passwords for the user of this name.
    case loginAccount(String)
    /// Wrong passwords from this address.
    case loginAddress(String)

    /// Accounts made from this address.
    case signUps(String)

    /// A text that no other key has.
    package var text: String {
        switch self {
        case .sends(let user): "sends:\(user.text)"
        case .reads(let user): "reads:\(user.text)"
        case .typing(let user): "typing:\(user.text)"
        case .loginAccount(let name): "account:\(name)"
        case .loginAddress(let address): "address:\(address)"
        case .signUps(let address): "signups:\(address)"
        }
    }
}

/// How fast a bucket fills and how much it holds.
package struct TokenRate: Hashable, Sendable {
    /// Microseconds in which one token comes; at least 1.
    package let interval: Int64
    /// Tokens in a full bucket; at least 1.
    package let burst: Int

    package init(interval: Int64, burst: Int) {
        self.interval = max(1, interval)
        self.burst = min(max(1, burst), 1_000_000)
    }
}

/// Failures that were counted in an open window.
package struct FailureWindow: Hashable, Sendable {
    package let failures: Int
    /// Milliseconds until the window closes.
    package let remaining: Int64

    package init(failures: Int, remaining: Int64) {
        self.failures = failures
        self.remaining = remaining
    }
}
