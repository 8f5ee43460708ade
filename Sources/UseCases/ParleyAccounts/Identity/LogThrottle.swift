import Logging
import ParleyModel
import Synchronization

/// Limits each kind of log line to one in ten seconds, since clients can provoke some of them with every request.
package final class LogThrottle: Sendable {
    /// Milliseconds.
    private static let pause: Int64 = 10_000
    private static let maximumKinds = 64

    /// When each kind was last allowed.
    private let last = Mutex<[String: Int64]>([:])

    package init() {}

    /// - Parameter now: Unix milliseconds.
    package func allow(_ kind: String, at now: Int64) -> Bool {
        last.withLock { last in
            if let before = last[kind], now >= before, now - before < Self.pause { return false }
            if last.count >= Self.maximumKinds { last = last.filter { now - $0.value < Self.pause } }
            guard last.count < Self.maximumKinds || last[kind] != nil else { return false }
            last[kind] = now
            return true
        }
    }
}

extension StoreError {
    /// Logs why the store did not answer. A rejection is a bug or a damaged file; unavailability concerns the operator.
    func log(to logger: Logger) {
        switch self {
        case .unavailable(let reason): logger.warning("account store unavailable", metadata: ["reason": "\(reason)"])
        case .failed(let reason): logger.error("account store failed", metadata: ["reason": "\(reason)"])
        case .taken, .noAvatar: logger.error("account store failed", metadata: ["reason": "\(self)"])
        }
    }
}
