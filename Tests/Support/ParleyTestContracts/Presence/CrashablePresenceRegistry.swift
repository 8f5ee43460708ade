package import ParleyModel
import Synchronization

/// The presence registry of a node that a test can crash. A crash releases the wrapped registry, as the end of a process does.
package final class CrashablePresenceRegistry: PresenceRegistry {
    private let alive: Mutex<(any PresenceRegistry)?>

    package init(_ registry: any PresenceRegistry) {
        alive = Mutex(registry)
    }

    package func crash() {
        alive.withLock { $0 = nil }
    }

    package func connected(_ user: UserID) {
        registry?.connected(user)
    }

    package func disconnected(_ user: UserID) {
        registry?.disconnected(user)
    }

    package func states(of users: [UserID]) async throws(SharedStoreError) -> [UserPresence] {
        guard let registry else { throw .unavailable("crashed") }
        return try await registry.states(of: users)
    }

    package func leases() async throws(SharedStoreError) -> Set<String> {
        guard let registry else { throw .unavailable("crashed") }
        return try await registry.leases()
    }

    private var registry: (any PresenceRegistry)? { alive.withLock { $0 } }
}
