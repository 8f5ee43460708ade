import ParleyModel
import Synchronization

/// The redeemed tickets.
final class TestTicketStore: TicketStore {
    private let used = Mutex<Set<String>>([])

    var count: Int { used.withLock { $0.count } }

    func redeem(_ nonce: String, until expiry: Int64) async -> Bool {
        used.withLock { $0.insert(nonce).inserted }
    }
}
