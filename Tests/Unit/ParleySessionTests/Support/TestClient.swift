import ParleyModel
import ParleySession

/// Answers the queries of a session under test, as a connection does.
final class TestClient {
    static let alice = User(id: UserID(trusted: "alice-id"), name: "alice")
    static let bob = User(id: UserID(trusted: "bob-id"), name: "bob")
    static let room = ThreadID(trusted: "room")
    static let roomMembership = Membership(
        thread: ThreadInfo(id: room, kind: .room, title: "Room"), role: .member)

    var memberships: [ThreadID: Membership] = [room: roomMembership]
    var direct: [String: Membership] = [:]
    /// The delays of the permits, in order; 0 if there are none left. -1 means `requested`.
    var waits: [Int64] = []
    /// The number of sends charged.
    var taken = 0

    func facts(for query: ClassicSession.Query) -> ClassicSession.Facts {
        let membership =
            switch query.target {
            case .thread(let thread): memberships[thread]
            case .peer(let name): direct[name]
            }
        return ClassicSession.Facts(permit: query.needsPermit ? take() : .granted, membership: membership)
    }

    private func take() -> Permit {
        let wait = waits.isEmpty ? 0 : waits.removeFirst()
        if wait == 0 { taken += 1 }
        return wait == 0 ? .granted : wait < 0 ? .requested : .wait(microseconds: wait)
    }
}
