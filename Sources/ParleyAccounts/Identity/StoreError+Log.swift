import Logging
import ParleyModel

extension StoreError {
    /// Logs why the store did not answer. A rejection is a bug or a damaged file; unavailability concerns the operator.
    func log(to logger: Logger) {
        switch self {
        case .unavailable(let reason): logger.warning("account store unavailable", metadata: ["reason": "\(reason)"])
        case .failed(let reason): logger.error("account store failed", metadata: ["reason": "\(reason)"])
        case .taken: logger.error("account store failed", metadata: ["reason": "taken"])
        }
    }
}
