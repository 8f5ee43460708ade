import ParleyMemory
import ParleyModel
import ParleyTestSupport

/// Boards in memory.
struct MemoryPresenceFixture: PresenceFixture {
    let broker = MemoryBroker()
    let shared: MemoryPresence

    init() {
        shared = MemoryPresence(broker: broker)
    }

    func makeNode() async throws -> PresenceNode {
        let board = shared.makeBoard()
        return PresenceNode(board: board, bus: broker.makeBus()) { board.crash() }
    }

    func stop() async {}
}
