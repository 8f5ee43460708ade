import ParleyMemory
import ParleyModel
import ParleyTestSupport

/// Presence registries in memory.
struct MemoryPresenceFixture: PresenceFixture {
    let broker = MemoryBroker()
    let shared: MemoryPresence

    init() {
        shared = MemoryPresence(broker: broker)
    }

    func makeNode() async throws -> PresenceNode {
        let presenceRegistry = shared.makeRegistry()
        return PresenceNode(presenceRegistry: presenceRegistry, bus: broker.makeBus()) { presenceRegistry.crash() }
    }

    func stop() async {}
}
