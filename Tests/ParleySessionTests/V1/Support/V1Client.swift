import ParleyModel
import ParleySession

/// The client of a v1 session under test.
struct V1Client: V1SessionClient {
    let user = TestClient.alice
    var memberships: [ThreadID: Membership] = [TestClient.room: TestClient.roomMembership]
    var waitingBytes = 0
    var milliseconds: Int64 = 1_795_255_200_123
    var rate = Rate()

    /// The delays that `take` returns, in order; 0 if there are none left. -1 means `requested`.
    final class Rate {
        var waits: [Int64] = []
        /// The number of tokens taken.
        var taken = 0
        /// The requested budgets, in order.
        var kinds: [BudgetKind] = []
    }

    func membership(of thread: ThreadID) -> Membership? { memberships[thread] }
    func directMembership(withUser name: String) -> Membership? { nil }

    func take(_ kind: BudgetKind, at now: Int64) -> Permit {
        rate.kinds.append(kind)
        let wait = rate.waits.isEmpty ? 0 : rate.waits.removeFirst()
        if wait == 0 { rate.taken += 1 }
        return wait == 0 ? .granted : wait < 0 ? .requested : .wait(microseconds: wait)
    }
}
