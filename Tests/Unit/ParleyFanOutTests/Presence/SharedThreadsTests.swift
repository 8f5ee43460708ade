import ParleyFanOut
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import Synchronization
import Testing

@Suite("Presence and shared threads", .timeLimit(.minutes(5)))
struct SharedThreadsTests {
    private let me = UserID(trusted: "me")
    private let ann = UserID(trusted: "ann")
    private let bob = UserID(trusted: "bob")

    private func setStrangers(_ users: [UserID], _ fixture: PresenceWatchFixture) {
        fixture.lookUp.state.withLock { $0.strangers = Set(users) }
    }

    /// Notes a change on the watching node and lets it look.
    private func change(_ user: UserID, _ fixture: PresenceWatchFixture) async {
        fixture.nodes[0].watch.membershipsChanged(of: [user])
        await fixture.nodes[0].watch.recheckMemberships()
    }

    @Test(
        "with the last shared thread offline is told once, then nothing, until a thread is shared again",
        arguments: ["the watching user leaves", "the watched user leaves", "all may have changed"])
    func ends(how: String) async throws {
        let fixture = PresenceWatchFixture()
        let (here, there) = (fixture.nodes[0].watch, fixture.nodes[1].watch)
        let heard = ParleyTestSupport.Recorder<UserPresence>()
        let changed = how.hasPrefix("the watching") ? me : ann
        func change() async {
            if how.hasPrefix("all") { here.membershipsChanged() } else { here.membershipsChanged(of: [changed]) }
            await here.recheckMemberships()
        }
        there.connected(ann)
        _ = await there.counts
        _ = try await fixture.watch(0, "c", by: "me", ["ann", "me"], heard).get()
        setStrangers([ann], fixture)
        await change()
        #expect(heard.elements.dropFirst(2) == [UserPresence(user: ann, isOnline: false, lastSeen: nil, stamp: .min)])
        // Nothing more is told, and nothing is kept or subscribed to.
        #expect(await here.counts == (0, 0, 1, 2))
        there.disconnected(ann)
        _ = await there.counts
        await fixture.pass(500)
        there.connected(ann)
        _ = await there.counts
        await change()
        #expect(heard.elements.count == 3)
        // They share a thread again.
        setStrangers([], fixture)
        await change()
        #expect(heard.elements.dropFirst(3).map(\.text) == ["ann+"])
        there.disconnected(ann)
        _ = await there.counts
        await fixture.pass(500)
        try await heard.wait("offline, as everybody") { $0.count >= 5 }
        #expect(heard.elements.last?.text == "ann-")
        #expect(heard.elements.last?.lastSeen != nil)
        await fixture.stop()
    }

    @Test("a last-seen time is taken back, and who was unknown is not mentioned again")
    func lastSeen() async throws {
        let fixture = PresenceWatchFixture()
        let there = fixture.nodes[1].watch
        let heard = ParleyTestSupport.Recorder<UserPresence>()
        there.connected(ann)
        there.disconnected(ann)
        _ = await there.counts
        await fixture.pass(500)
        _ = try await fixture.watch(0, "c", by: "me", ["ann", "bob"], heard).get()
        #expect(heard.elements.first { $0.user == ann }?.lastSeen != nil)
        setStrangers([ann, bob], fixture)
        await change(me, fixture)
        #expect(heard.elements.dropFirst(2) == [UserPresence(user: ann, isOnline: false, lastSeen: nil, stamp: .min)])
        await fixture.stop()
    }

    @Test("each watching user of a node is told, whoever else may go on")
    func several() async throws {
        let fixture = PresenceWatchFixture()
        fixture.nodes[1].watch.connected(ann)
        _ = await fixture.nodes[1].watch.counts
        let heard = ["me", "bob", "cat"].map { ($0, ParleyTestSupport.Recorder<UserPresence>()) }
        for (user, recorder) in heard {
            for device in 0..<2 {
                _ = try await fixture.watch(0, "\(user)-\(device)", by: user, ["ann"], recorder).get()
            }
        }
        // The look-up of the watched user's own threads answers for each of the others.
        setStrangers([UserID(trusted: "bob")], fixture)
        await change(ann, fixture)
        #expect(heard.map { $0.1.elements.count } == [2, 4, 2])
        #expect(await fixture.nodes[0].watch.counts == (0, 0, 1, 6))
        await fixture.stop()
    }

    @Test("a change while a list is looked up is not missed, and one that concerns nobody costs no look-up")
    func meanwhile() async throws {
        let fixture = PresenceWatchFixture(nodes: 1)
        let watch = fixture.nodes[0].watch
        let heard = ParleyTestSupport.Recorder<UserPresence>()
        watch.connected(ann)
        _ = await watch.counts
        var table = WatchTable()
        let ticket = table.begin(ConnectionID(trusted: "c"))
        table.noteChange(of: ann)
        #expect(!table.hasChanged)
        table.reserve([ann])
        #expect(table.install(ticket, by: me, [ann], shown: [ann]) { _ in } != nil)
        let taken = table.takeChanged()
        #expect(taken?.user == me)
        #expect(taken?.others == [ann])
        _ = try await fixture.watch(0, "c", by: "me", ["ann"], heard).get()
        let count = fixture.lookUp.state.withLock { $0.count }
        await change(UserID(trusted: "somebody"), fixture)
        #expect(fixture.lookUp.state.withLock { $0.count } == count)
        await fixture.stop()
    }

    @Test("when all may have changed, those who watch are checked many at a time")
    func all() async throws {
        var settings = PresenceSettings()
        settings.pairs = 200
        let fixture = PresenceWatchFixture(nodes: 1, settings)
        let watch = fixture.nodes[0].watch
        let users = (0..<2000).map { "user-\($0)" }
        let heard = ParleyTestSupport.Recorder<UserPresence>()
        for user in users { _ = try await fixture.watch(0, "c-\(user)", by: user, ["ann"], heard).get() }
        let before = fixture.lookUp.state.withLock { $0.count }
        setStrangers([ann] + users.prefix(100).map { UserID(trusted: $0) }, fixture)
        watch.membershipsChanged()
        await watch.recheckMemberships()
        #expect(fixture.lookUp.state.withLock { $0.count } - before == 10)
        #expect(await watch.counts.watched == 0)
        await fixture.stop()
    }

    @Test("who is listed by more users than fit into one look-up is checked by several")
    func parts() async throws {
        var settings = PresenceSettings()
        settings.pairs = 3
        let fixture = PresenceWatchFixture(nodes: 1, settings)
        fixture.nodes[0].watch.connected(ann)
        let heard = (0..<10).map { ("user-\($0)", ParleyTestSupport.Recorder<UserPresence>()) }
        for (user, recorder) in heard { _ = try await fixture.watch(0, user, by: user, ["ann"], recorder).get() }
        let before = fixture.lookUp.state.withLock { $0.count }
        setStrangers([UserID(trusted: "user-4")], fixture)
        await change(ann, fixture)
        #expect(fixture.lookUp.state.withLock { $0.count } - before == 4)
        #expect(heard.map { $0.1.elements.count } == (0..<10).map { $0 == 4 ? 2 : 1 })
        await fixture.stop()
    }

    @Test("while memberships cannot be looked up, the look is made up for later")
    func away() async throws {
        let fixture = PresenceWatchFixture()
        let heard = ParleyTestSupport.Recorder<UserPresence>()
        fixture.nodes[1].watch.connected(ann)
        _ = await fixture.nodes[1].watch.counts
        _ = try await fixture.watch(0, "c", by: "me", ["ann"], heard).get()
        fixture.lookUp.state.withLock {
            $0.strangers = [ann]
            $0.isAway = true
        }
        await change(ann, fixture)
        #expect(heard.elements.count == 1)
        fixture.lookUp.state.withLock { $0.isAway = false }
        fixture.clock.milliseconds += 1000
        await fixture.nodes[0].watch.recheckMemberships()
        #expect(heard.elements.map(\.text) == ["ann+", "ann-"])
        await fixture.stop()
    }
}
