import ParleyModel
import ParleySession

/// The client of a session under test, with shorthands for its commands.
final class TestClient: SessionClient {
    static let alice = User(id: UserID(trusted: "alice-id"), name: "alice")
    static let bob = User(id: UserID(trusted: "bob-id"), name: "bob")
    static let room = ThreadID(trusted: "room")
    static let roomMembership = Membership(
        thread: ThreadInfo(id: room, kind: .room, title: "Room"), role: .member)

    let user = alice
    var memberships: [ThreadID: Membership] = [room: roomMembership]
    var direct: [String: Membership] = [:]
    /// The delays that `take` returns, in order; 0 if there are none left. -1 means `requested`.
    var waits: [Int64] = []
    /// The number of sends charged.
    var taken = 0

    func membership(of thread: ThreadID) -> Membership? { memberships[thread] }
    func directMembership(withUser name: String) -> Membership? { direct[name] }

    func take(_ kind: BudgetKind, at now: Int64) -> Permit {
        let wait = waits.isEmpty ? 0 : waits.removeFirst()
        if wait == 0 { taken += 1 }
        return wait == 0 ? .granted : wait < 0 ? .requested : .wait(microseconds: wait)
    }
}
