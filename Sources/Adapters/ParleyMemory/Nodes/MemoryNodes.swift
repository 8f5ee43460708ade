package import ParleyModel
import Synchronization

/// The state shared by the node registries of one process. Protected by a lock.
package final class MemoryNodes: Sendable {
    private struct Entry {
        var status: NodeStatus
        /// In Unix milliseconds.
        var expiry: Int64
    }

    private struct Waiting<Value> {
        var values: [Value] = []
        /// In Unix milliseconds.
        var expiry: Int64 = 0
    }

    private struct State {
        var nodes: [String: Entry] = [:]
        var requests: [String: Waiting<NodeRequest>] = [:]
        var replies: [String: Waiting<NodeReply>] = [:]
    }

    private let clock: WallClock
    private let state = Mutex(State())

    package init(clock: WallClock = .system) {
        self.clock = clock
    }

    /// Makes the registry of a further node.
    package func makeRegistry() -> MemoryNodeRegistry {
        var generator = SystemRandomNumberGenerator()
        let instance = Epoch.make(using: &generator).text + Epoch.make(using: &generator).text
        return MemoryNodeRegistry(self, instance: instance)
    }

    func put(_ status: NodeStatus) {
        let now = clock.milliseconds
        state.withLock { state in
            forget(&state, now)
            state.nodes[status.instance] = Entry(
                status: status, expiry: now + Int64(NodeRegistryLimits.life / .milliseconds(1)))
        }
    }

    func remove(_ instance: String) {
        state.withLock { state in
            state.nodes[instance] = nil
            state.requests[instance] = nil
        }
    }

    func nodes() -> [NodeStatus] {
        let now = clock.milliseconds
        let statuses = state.withLock { state in
            forget(&state, now)
            return state.nodes.values.map(\.status)
        }
        return Array(
            statuses.sorted { ($0.name, $0.instance) < ($1.name, $1.instance) }.prefix(NodeRegistryLimits.nodes))
    }

    func send(_ request: NodeRequest, to instance: String) {
        let now = clock.milliseconds
        state.withLock { state in
            forget(&state, now)
            var waiting = state.requests[instance] ?? Waiting()
            waiting.values = (waiting.values + [request]).suffix(NodeRegistryLimits.requests)
            waiting.expiry = now + Self.requestLife
            state.requests[instance] = waiting
        }
    }

    func requests(to instance: String) -> [NodeRequest] {
        let now = clock.milliseconds
        return state.withLock { state in
            forget(&state, now)
            return state.requests.removeValue(forKey: instance)?.values ?? []
        }
    }

    func reply(_ reply: NodeReply) {
        let now = clock.milliseconds
        state.withLock { state in
            forget(&state, now)
            var waiting = state.replies[reply.request] ?? Waiting()
            guard waiting.values.count < NodeRegistryLimits.nodes else { return }
            waiting.values.append(reply)
            waiting.expiry = now + Self.requestLife
            state.replies[reply.request] = waiting
        }
    }

    func replies(to request: String) -> [NodeReply] {
        let now = clock.milliseconds
        return state.withLock { state in
            forget(&state, now)
            return state.replies[request]?.values ?? []
        }
    }

    private static var requestLife: Int64 { Int64(NodeRegistryLimits.requestLife / .milliseconds(1)) }

    private func forget(_ state: inout State, _ now: Int64) {
        state.nodes = state.nodes.filter { $0.value.expiry > now }
        state.requests = state.requests.filter { $0.value.expiry > now }
        state.replies = state.replies.filter { $0.value.expiry > now }
    }
}
