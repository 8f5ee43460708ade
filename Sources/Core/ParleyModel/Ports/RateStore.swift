/// Rate limits over all nodes: token buckets, and windows that count failures. Each has a key.
///
/// An unused bucket expires when it is full, and a window when it closes. While the store is unavailable, each node applies a local limit.
package protocol RateStore: Sendable {
    /// Takes tokens from a bucket, either all or none.
    /// - Parameter tokens: The number of tokens, at least 1; clamped to the burst.
    /// - Returns: 0 if the tokens were taken, otherwise the microseconds after which to retry.
    func take(_ tokens: Int, of key: RateKey, at rate: TokenRate) async throws(SharedStoreError) -> Int64

    /// Takes tokens as the other `take` does, for callers on an event loop.
    /// - Parameter completion: Called once, on any thread, possibly before this function returns. If the store does not reply,
    ///   the call may come as late as the loss of the connection, so callers limit their wait.
    func take(
        _ tokens: Int, of key: RateKey, at rate: TokenRate,
        completion: @escaping @Sendable (Result<Int64, SharedStoreError>) -> Void)

    /// Adds failures to a window. The first failure opens it.
    /// - Parameters:
    ///   - failures: The number of failures; 0 only reads the window.
    ///   - milliseconds: The time for which the window stays open.
    /// - Returns: The window; `nil` if none is open.
    func count(_ failures: Int, of key: RateKey, within milliseconds: Int64) async throws(SharedStoreError)
        -> FailureWindow?
}

/// The subject of a bucket or window.
package enum RateKey: Hashable, Sendable {
    /// Sends of a user.
    case sends(UserID)
    /// Published read marks of a user.
    case reads(UserID)
    /// Typing indicators of a user.
    case typing(UserID)
    /// Failed logins to the account of this name from unknown devices.
    case loginAccount(String)
    /// Failed logins from this address by unknown devices.
    case loginAddress(String)
    /// Failed logins to the account of this name from this address by unknown devices.
    case loginPair(String, address: String)
    /// Failed logins from a known device or of a login session.
    case loginDevice(String)

    /// Accounts created from this address.
    case signUps(String)
    /// Wrong codes of links that a user has followed.
    case wrongLinks(UserID)
    /// Invitations made by a user.
    case invitations(UserID)

    /// A text form that is unique among keys.
    package var text: String {
        switch self {
        case .sends(let user): "sends:\(user.text)"
        case .reads(let user): "reads:\(user.text)"
        case .typing(let user): "typing:\(user.text)"
        case .loginAccount(let name): "account:\(name)"
        case .loginAddress(let address): "address:\(address)"
        // Account names do not contain the separator.
        case .loginPair(let name, let address): "pair:\(name)|\(address)"
        case .loginDevice(let device): "device:\(device)"
        case .signUps(let address): "signups:\(address)"
        case .wrongLinks(let user): "links:\(user.text)"
        case .invitations(let user): "invitations:\(user.text)"
        }
    }
}

/// The refill rate and the capacity of a bucket.
package struct TokenRate: Hashable, Sendable {
    /// Microseconds per token; at least 1.
    package let interval: Int64
    /// The number of tokens in a full bucket; at least 1.
    package let burst: Int

    package init(interval: Int64, burst: Int) {
        self.interval = max(1, interval)
        self.burst = min(max(1, burst), 1_000_000)
    }
}

/// The failures counted in an open window.
package struct FailureWindow: Hashable, Sendable {
    package let failures: Int
    /// The milliseconds until the window closes.
    package let remaining: Int64

    package init(failures: Int, remaining: Int64) {
        self.failures = failures
        self.remaining = remaining
    }
}
