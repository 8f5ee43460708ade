package import ParleyModel

/// The presence registry of one node, sharing a `MemoryPresence`. The node ends with it: its users go offline without a
/// published change.
package final class MemoryPresenceRegistry: PresenceRegistry {
    private let shared: MemoryPresence
    private let node: Int

    init(_ shared: MemoryPresence, _ node: Int) {
        self.shared = shared
        self.node = node
    }

    deinit {
        shared.end(node)
    }

    package func connected(_ user: UserID) {
        shared.set(user, isPresent: true, on: node)
    }

    package func disconnected(_ user: UserID) {
        shared.set(user, isPresent: false, on: node)
    }

    package func states(of users: [UserID]) async throws(SharedStoreError) -> [UserPresence] {
        shared.states(of: users)
    }

    package func leases() async throws(SharedStoreError) -> Set<String> {
        shared.leases
    }
}
