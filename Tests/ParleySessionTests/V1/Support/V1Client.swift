import ParleyModel
import ParleySession

/// What a v1 session under test knows of its client.
struct V1Client: V1SessionClient {
    let user = TestClient.alice
    var memberships: [ThreadID: Membership] = [TestClient.room: TestClient.roomMembership]
    var waitingBytes = 0
    var milliseconds: Int64 = 1_795_255_200_123
    var rate = Rate()

    /// How long `takeSend` says to wait, in order; without any left it is 0. -1: it is being found out.
    final class Rate {
        var waits: [Int64] = []
        /// How many sends were taken.
        var taken = 0
    }

    func membership(of thread: ThreadID) -> Membership? { memberships[thread] }
    func directMembership(withUserNamed name: String) -> Membership? { nil }

    func takeSend(at now: Int64) -> SendPermit {
        let wait = rate.waits.isEmpty ? 0 : rate.waits.removeFirst()
        if wait == 0 { rate.taken += 1 }
        return wait == 0 ? .granted : wait < 0 ? .asked : .wait(microseconds: wait)
    }
}
