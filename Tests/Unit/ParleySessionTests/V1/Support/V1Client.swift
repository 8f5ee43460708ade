import ParleyModel
import ParleySession

/// Answers the queries of a v1 session under test, as a connection does.
struct V1Client {
    var memberships: [ThreadID: Membership] = [TestClient.room: TestClient.roomMembership]
    var waitingBytes = 0
    var milliseconds: Int64 = 1_795_255_200_123
    var rate = Rate()

    /// The delays of the permits, in order; 0 if there are none left. -1 means `requested`.
    final class Rate {
        var waits: [Int64] = []
        /// The number of tokens taken.
        var taken = 0
        /// The requested budgets, in order.
        var kinds: [BudgetKind] = []
    }

    func facts(for query: V1Session.Query) -> V1Session.Facts {
        var facts = V1Session.Facts()
        if let budget = query.budget { facts.permit = take(budget) }
        facts.membership = query.thread.flatMap { memberships[$0] }
        for thread in query.resumed { facts.members[thread] = memberships[thread]?.firstSeq }
        if query.needsTime { facts.milliseconds = milliseconds }
        return facts
    }

    private func take(_ kind: BudgetKind) -> Permit {
        rate.kinds.append(kind)
        let wait = rate.waits.isEmpty ? 0 : rate.waits.removeFirst()
        if wait == 0 { rate.taken += 1 }
        return wait == 0 ? .granted : wait < 0 ? .requested : .wait(microseconds: wait)
    }
}
