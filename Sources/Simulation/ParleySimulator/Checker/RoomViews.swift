import ParleyModel
import ParleyStoreModel

/// The visibility of a room at an instant, and the changes that may overtake an answer.
struct RoomView: Hashable {
    let visibility: RoomVisibility?
    /// The number of changes of any room that were begun.
    let begun: Int
    /// Whether a node is changing a room.
    let isChanging: Bool
    /// Whether every node must know of all changes.
    var isFinal = false

    /// Whether the room must not exist for users who are not members.
    var isHidden: Bool { visibility == .private }
}

/// A user and a thread as the database has them, apart from what ends by itself as time passes.
struct Standing: Hashable {
    var isMember = false
    /// Banned without an end.
    var isBanned = false
    var isInvited = false
    /// Whether moderators may let the user in, who has asked for it.
    var hasAsked = false
    /// Whether the user and the caller block each other, or one the other.
    var isBlocked = false
}

/// The rooms as the database has them, and the changes that nodes are making.
final class RoomViews: @unchecked Sendable {
    // `@unchecked Sendable`: the simulator has one thread.
    private let server: ModelServer
    private var begun = 0
    /// The nodes that are making a change, by the number of the change.
    private var nodes: [Int: SimulatedNode] = [:]
    /// Set when nothing is changed, and every node must know of what was.
    var isFinal = false
    /// The changes during whose time there may have been another one.
    private var overlapping: Set<Int> = []

    init(_ server: ModelServer) { self.server = server }

    private var isChanging: Bool { nodes.values.contains { $0.isAlive } }

    func view(of room: String) -> RoomView {
        let visibility = ThreadID(room).flatMap { server.snapshot().tables.threads[$0]?.visibility }
        return RoomView(visibility: visibility, begun: begun, isChanging: isChanging, isFinal: isFinal)
    }

    /// - Parameter caller: The user who does something about the other one.
    func standing(of user: UserID, in thread: ThreadID, by caller: UserID) -> Standing {
        let tables = server.snapshot().tables
        let place = MemberPlace(user: user, thread: thread)
        let ban = tables.sanctions(of: user, in: thread).ban
        return Standing(
            isMember: tables.members[thread]?[user] != nil, isBanned: ban.map { $0.until == nil } ?? false,
            isInvited: tables.invitations[place] != nil, hasAsked: tables.requests[place]?.state == .open,
            isBlocked: tables.blocks[user]?[caller] != nil || tables.blocks[caller]?[user] != nil)
    }

    /// - Returns: The number of the change.
    func begin(on node: SimulatedNode) -> Int {
        begun += 1
        if isChanging {
            overlapping.formUnion(nodes.keys)
            overlapping.insert(begun)
        }
        nodes[begun] = node
        return begun
    }

    /// - Returns: Whether there was no other change in the meantime.
    @discardableResult
    func end(_ number: Int) -> Bool {
        nodes[number] = nil
        return overlapping.remove(number) == nil
    }
}
