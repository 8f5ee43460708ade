package import ParleyModel
import Synchronization

/// The names of the line listener's guests in one process. Protected by a lock; bounded by `limit`.
package final class MemoryGuestNames: GuestNames {
    private let claims: Mutex<NameClaims>

    /// - Parameter limit: the maximum number of claimed names; above it every further name counts as taken.
    package init(limit: Int = 100_000) {
        claims = Mutex(NameClaims(limit: limit))
    }

    /// Claims a name. Claiming a name again on the same connection succeeds.
    package func claim(_ name: NameLook, for connection: ConnectionID) async -> Bool {
        claims.withLock { $0.claim(name, for: connection) != .taken }
    }

    /// Releases a name, unless another connection owns it.
    package func release(_ name: NameLook, by connection: ConnectionID) async {
        claims.withLock { _ = $0.release(name, by: connection) }
    }
}
