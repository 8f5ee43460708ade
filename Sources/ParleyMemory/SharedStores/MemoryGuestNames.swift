package import ParleyModel
import Synchronization

/// The names of the line listener's guests in one process. Protected by a lock; bounded by `limit`.
package final class MemoryGuestNames: GuestNames {
    private let limit: Int
    private let owners = Mutex<[String: ConnectionID]>([:])

    /// - Parameter limit: the maximum number of claimed names; above it every further name counts as taken.
    package init(limit: Int = 100_000) {
        self.limit = limit
    }

    /// Claims a name. Claiming a name again on the same connection succeeds.
    package func claim(_ name: String, for connection: ConnectionID) async -> Bool {
        owners.withLock { owners in
            if let owner = owners[name] { return owner == connection }
            guard owners.count < limit else { return false }
            owners[name] = connection
            return true
        }
    }

    /// Releases a name, unless another connection owns it.
    package func release(_ name: String, by connection: ConnectionID) async {
        owners.withLock { owners in
            if owners[name] == connection { owners[name] = nil }
        }
    }
}
