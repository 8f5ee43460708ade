import Logging
import ParleyModel

extension StoreError {
    /// Notes why the store did not answer: a refusal is a bug or a damaged file, being away is for whoever runs it.
    func log(to logger: Logger) {
        switch self {
        case .unavailable(let reason): logger.warning("account store away", metadata: ["reason": "\(reason)"])
        case .failed(let reason): logger.error("account store failed", metadata: ["reason": "\(reason)"])
        case .taken: logger.error("account store failed", metadata: ["reason": "taken"])
        }
    }
}
