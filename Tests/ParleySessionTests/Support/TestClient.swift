import ParleyModel
import ParleySession

/// What a session under test knows of its client, and the words for its commands.
final class TestClient: SessionClient {
    static let alice = User(id: UserID(trusted: "alice-id"), name: "alice")
    static let bob = User(id: UserID(trusted: "bob-id"), name: "bob")
    static let room = ThreadID(trusted: "room")
    static let roomMembership = Membership(
        thread: ThreadInfo(id: room, kind: .room, title: "Room"), role: .member)

    let user = alice
    var memberships: [ThreadID: Membership] = [room: roomMembership]
    var direct: [String: Membership] = [:]
    /// How long `take` says to wait, in order; without any left it is 0. -1: it is being found out.
    var waits: [Int64] = []
    /// How many sends were taken of the rate.
    var taken = 0

    func membership(of thread: ThreadID) -> Membership? { memberships[thread] }
    func directMembership(withUserNamed name: String) -> Membership? { direct[name] }

    func take(_ kind: BudgetKind, at now: Int64) -> Permit {
        let wait = waits.isEmpty ? 0 : waits.removeFirst()
        if wait == 0 { taken += 1 }
        return wait == 0 ? .granted : wait < 0 ? .requested : .wait(microseconds: wait)
    }
}
