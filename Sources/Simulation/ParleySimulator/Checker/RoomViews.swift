import ParleyModel
import ParleyStoreModel

/// The visibility of a room at an instant, and the changes that may overtake an answer.
struct RoomView: Hashable {
    let visibility: RoomVisibility?
    /// The number of changes of any room that were begun.
    let begun: Int
    /// Whether a node is changing a room.
    let isChanging: Bool

    /// Whether the room must not exist for users who are not members.
    var isHidden: Bool { visibility == .private }
}

/// The visibilities of rooms as the database has them, and the changes that nodes are making.
final class RoomViews: @unchecked Sendable {
    // `@unchecked Sendable`: the simulator has one thread.
    private let server: ModelServer
    private var begun = 0
    /// The nodes that are making a change, by the number of the change.
    private var nodes: [Int: SimulatedNode] = [:]

    init(_ server: ModelServer) { self.server = server }

    func view(of room: String) -> RoomView {
        let visibility = ThreadID(room).flatMap { server.snapshot().tables.threads[$0]?.visibility }
        return RoomView(visibility: visibility, begun: begun, isChanging: nodes.values.contains { $0.isAlive })
    }

    /// - Returns: The number of the change.
    func begin(on node: SimulatedNode) -> Int {
        begun += 1
        nodes[begun] = node
        return begun
    }

    func end(_ number: Int) { nodes[number] = nil }
}
