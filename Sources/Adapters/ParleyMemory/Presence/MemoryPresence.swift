package import ParleyModel
import Synchronization

/// The state shared by the presence registries of one process: which users are online.
///
/// Protected by a lock. Keeps at most `limit` last-seen times; above it the oldest are forgotten.
package final class MemoryPresence: Sendable {
    private struct State {
        var nodes: Set<Int> = []
        var lastNode = 0
        var present: [UserID: Set<Int>] = [:]
        var lastSeen: [UserID: Int64] = [:]
        var lastStamp: Int64 = 0
    }

    private let broker: MemoryBroker
    private let limit: Int
    private let clock: WallClock
    private let state = Mutex(State())

    package init(broker: MemoryBroker, limit: Int = 200_000, clock: WallClock = .system) {
        self.broker = broker
        self.limit = max(2, limit)
        self.clock = clock
    }

    /// Makes the registry of a further node.
    package func makeRegistry() -> MemoryPresenceRegistry {
        let node = state.withLock { state in
            state.lastNode += 1
            state.nodes.insert(state.lastNode)
            return state.lastNode
        }
        return MemoryPresenceRegistry(self, node)
    }

    func set(_ user: UserID, isPresent: Bool, on node: Int) {
        let change = state.withLock { state -> UserPresence? in
            guard state.nodes.contains(node) else { return nil }
            let before = state.present[user] != nil
            if isPresent {
                state.present[user, default: []].insert(node)
            } else {
                forget(user, on: node, &state)
            }
            guard (state.present[user] != nil) != before else { return nil }
            return presence(of: user, &state)
        }
        if let change { broker.publish(.presence(change), to: .presence(change.user)) }
    }

    /// Removes a node and its users without publishing the change.
    func end(_ node: Int) {
        state.withLock { state in
            state.nodes.remove(node)
            for user in state.present.filter({ $0.value.contains(node) }).keys { forget(user, on: node, &state) }
        }
    }

    func states(of users: [UserID]) -> [UserPresence] {
        state.withLock { state in users.map { presence(of: $0, &state) } }
    }

    var leases: Set<String> { state.withLock { Set($0.nodes.map { String($0) }) } }

    private func forget(_ user: UserID, on node: Int, _ state: inout State) {
        guard state.present[user]?.remove(node) != nil, state.present[user]?.isEmpty == true else { return }
        state.present[user] = nil
        state.lastSeen[user] = clock.seconds
        if state.lastSeen.count > limit {
            let newest = state.lastSeen.sorted { $0.value > $1.value }.prefix(limit / 2)
            state.lastSeen = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
        }
    }

    private func presence(of user: UserID, _ state: inout State) -> UserPresence {
        state.lastStamp = max(state.lastStamp + 1, clock.milliseconds * 1000)
        let isOnline = state.present[user] != nil
        return UserPresence(
            user: user, isOnline: isOnline, lastSeen: isOnline ? nil : state.lastSeen[user], stamp: state.lastStamp)
    }
}
