import ParleyFanOut
import ParleyModel
import ParleyTestContracts
import Testing

@Suite("The hub passes changes of users to the loops with their sockets")
struct HubSnapshotTests {
    private let ann = HubRun.ann.id
    private let bob = HubRun.bob.id

    private func snapshot(_ user: User) -> UserSnapshot {
        UserSnapshot(user: user, version: 1, credentialsVersion: 0, memberships: [])
    }

    @Test("a control event goes to the user's loops, and the user is reloaded")
    func controlEvents() {
        var run = HubRun.withAnn()
        run.receive(.sessionRevoked(TokenHash("aa")))
        run.receive(.changed)
        run.receive(.erased, of: HubRun.ann)
        #expect(run.delivered == [[.revoked(bob)], [.erased(ann)]])
        #expect(run.reloads == [bob, bob, ann])
        #expect(run.hub.controlEvents == 3)
        run.receive(.erased, of: Samples.user("cid"))
        #expect(run.reloads.count == 3, "not a user of this node")
        #expect(run.hub.controlEvents == 3)
    }

    @Test("an update is done when every loop has answered, with what all of them lack")
    func update() {
        var run = HubRun.withAnn()
        run.open(HubRun.bob, in: [], on: 1)
        let snapshots = [HubRun.ann, HubRun.bob, Samples.user("cid")].map(snapshot)
        run.handle { hub, actions in hub.update(to: snapshots, readAfter: 0, number: 7, &actions) }
        #expect(run.delivered == [[.snapshots([bob], update: 7)], [.snapshots([ann, bob], update: 7)]])
        var (first, second) = (SnapshotOutcome(), SnapshotOutcome())
        first.unsettled = [bob]
        second.missing = [ann: [HubRun.membership]]
        run.handle { hub, actions in hub.updated(7, first, &actions) }
        #expect(run.finished.isEmpty)
        run.handle { hub, actions in hub.updated(7, second, &actions) }
        second.unsettled = [bob]
        #expect(run.finished == [7: second])
        run.handle { hub, actions in hub.updated(7, first, &actions) }
        #expect(run.finished == [7: second], "once")
    }

    @Test("a snapshot that a control event may have overtaken is left out")
    func changed() {
        var run = HubRun.withAnn()
        run.receive(.changed)
        let mark = run.hub.controlEvents
        run.receive(.changed, of: HubRun.ann)
        let snapshots = [HubRun.ann, HubRun.bob].map(snapshot)
        run.handle { hub, actions in hub.update(to: snapshots, readAfter: mark, number: 1, &actions) }
        #expect(run.delivered == [[.snapshots([bob], update: 1)], []])
        run.handle { hub, actions in hub.updated(1, SnapshotOutcome(), &actions) }
        #expect(run.finished[1]?.changed == [ann])
    }

    @Test("an update that concerns no loop is done at once")
    func nobody() {
        var run = HubRun()
        let snapshots = [snapshot(HubRun.ann)]
        run.handle { hub, actions in hub.update(to: snapshots, readAfter: 0, number: 1, &actions) }
        #expect(run.finished == [1: SnapshotOutcome()])
    }

    @Test("a membership that is over is removed at once if the node does not follow the thread")
    func endedElsewhere() {
        var run = HubRun()
        run.open(HubRun.bob, in: [], on: 0)
        let snapshots = [snapshot(HubRun.bob)]
        run.handle { hub, actions in hub.update(to: snapshots, readAfter: 0, number: 1, &actions) }
        var outcome = SnapshotOutcome()
        outcome.ended = [bob: [HubRun.thread]]
        run.handle { hub, actions in hub.updated(1, outcome, &actions) }
        #expect(run.delivered[0].last == .hasLeft(bob))
        #expect(run.timers.isEmpty)
    }

    @Test("users are present while a loop wants their channel")
    func present() {
        var run = HubRun.withAnn()
        #expect(Set(run.hub.present(among: nil)) == [ann, bob])
        #expect(run.hub.present(among: [bob, UserID(trusted: "cid")]) == [bob])
        run.release([.user(bob)], by: 0)
        #expect(run.hub.present(among: nil) == [ann])
        #expect(run.hub.topicCount == 3, "its channel lingers")
    }
}
