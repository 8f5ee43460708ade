import NIOCore
import ParleyFanOut
import ParleyMemory
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import Synchronization
import Testing

@Suite("Presence on a node", .timeLimit(.minutes(5)))
struct PresenceWatchTests {
    private let ann = UserID(trusted: "ann")
    private let bob = UserID(trusted: "bob")

    private func isOnline(_ fixture: PresenceWatchFixture, _ user: UserID) async throws -> Bool {
        // What was handed in before is done.
        _ = await fixture.nodes[0].watch.counts
        return try await fixture.nodes[0].presenceRegistry.states(of: [user])[0].isOnline
    }

    @Test("a user is online from the first socket until the last is closed, less than a second later")
    func sockets() async throws {
        let fixture = PresenceWatchFixture(nodes: 1)
        let watch = fixture.nodes[0].watch
        watch.connected(ann)
        watch.connected(ann)
        #expect(try await isOnline(fixture, ann))
        watch.disconnected(ann)
        await fixture.pass(5000)
        #expect(try await isOnline(fixture, ann))
        watch.disconnected(ann)
        watch.disconnected(ann)
        _ = await watch.counts
        await fixture.pass(300)
        #expect(try await isOnline(fixture, ann))
        await fixture.pass(200)
        #expect(try await !isOnline(fixture, ann))
        #expect(await watch.counts == (0, 0, 0, 0))
        await fixture.stop()
    }

    @Test("who comes back at once has not been away")
    func reconnect() async throws {
        let fixture = PresenceWatchFixture()
        let heard = ParleyTestSupport.Recorder<UserPresence>()
        _ = try await fixture.watch(1, "c", by: "bob", ["ann"], heard).get()
        for _ in 0..<5 {
            fixture.nodes[0].watch.connected(ann)
            _ = await fixture.nodes[0].watch.counts
            await fixture.pass(300)
            fixture.nodes[0].watch.disconnected(ann)
            _ = await fixture.nodes[0].watch.counts
            await fixture.pass(300)
        }
        await fixture.pass(1000)
        try await heard.wait("offline") { $0.count >= 3 }
        #expect(heard.elements.map(\.text) == ["ann-", "ann+", "ann-"])
        #expect(heard.elements.last?.lastSeen == fixture.clock.milliseconds / 1000 - 1)
        await fixture.stop()
    }

    @Test("the state of each comes at once and then each change, of any node; strangers are offline")
    func watching() async throws {
        let fixture = PresenceWatchFixture()
        let (here, there) = (fixture.nodes[0].watch, fixture.nodes[1].watch)
        fixture.lookUp.state.withLock { $0.strangers = [UserID(trusted: "eve")] }
        for user in ["ann", "eve", "me"] { there.connected(UserID(trusted: user)) }
        _ = await there.counts
        let heard = ParleyTestSupport.Recorder<UserPresence>()
        _ = try await fixture.watch(0, "c", by: "me", ["ann", "bob", "eve", "me", "ann"], heard).get()
        #expect(Set(heard.elements.map(\.text)) == ["ann+", "bob-", "eve-", "me+"])
        #expect(heard.elements.count == 4)
        here.connected(bob)
        here.connected(ann)
        there.connected(bob)
        try await heard.wait("bob") { $0.count >= 5 }
        there.disconnected(UserID(trusted: "eve"))
        there.disconnected(ann)
        here.disconnected(ann)
        _ = await (there.counts, here.counts)
        await fixture.pass(500)
        try await heard.wait("ann") { $0.count >= 6 }
        #expect(heard.elements.dropFirst(4).map(\.text) == ["bob+", "ann-"])
        await fixture.stop()
    }

    @Test("a new list replaces the old one, and who watches no more costs nothing")
    func replacing() async throws {
        let fixture = PresenceWatchFixture()
        let watch = fixture.nodes[0].watch
        let heard = ParleyTestSupport.Recorder<UserPresence>()
        _ = try await fixture.watch(0, "c", by: "me", ["ann", "bob"], heard).get()
        _ = try await fixture.watch(0, "d", by: "me", ["bob"], heard).get()
        _ = try await fixture.watch(0, "c", by: "me", ["bob", "cat"], heard).get()
        #expect(await watch.counts == (0, 0, 2, 3))
        fixture.nodes[1].watch.connected(ann)
        fixture.nodes[1].watch.connected(UserID(trusted: "cat"))
        fixture.nodes[1].watch.connected(bob)
        try await heard.wait("cat, and bob twice") { $0.count >= 8 }
        #expect(heard.elements.dropFirst(5).map(\.text).sorted() == ["bob+", "bob+", "cat+"])
        watch.unwatch(ConnectionID(trusted: "c"))
        watch.unwatch(ConnectionID(trusted: "d"))
        #expect(await watch.counts == (0, 0, 0, 0))
        _ = try await fixture.watch(0, "e", by: "me", [], heard).get()
        #expect(heard.elements.count == 8)
        await fixture.stop()
    }

    @Test("a connection that is gone before its question is answered leaves nothing behind")
    func goneMeanwhile() async throws {
        let fixture = PresenceWatchFixture()
        let heard = ParleyTestSupport.Recorder<UserPresence>()
        let responses = ParleyTestSupport.Recorder<Bool>()
        let node = fixture.nodes[0]
        for number in 0..<50 {
            let connection = ConnectionID(trusted: "c\(number)")
            // In one turn of the loop, so that the answer cannot come in between, however late this thread runs.
            node.loop.execute {
                node.watch.watch(
                    connection, by: bob, [ann], deliver: { states in for state in states { heard.record(state) } },
                    completion: { _ in responses.record(true) })
                node.watch.unwatch(connection)
            }
        }
        try await responses.wait(count: 50)
        #expect(await node.watch.counts == (0, 0, 0, 0))
        #expect(heard.elements.isEmpty)
        await fixture.stop()
    }

    @Test("so many are watched and no more")
    func bounds() async throws {
        var settings = PresenceSettings()
        settings.usersPerConnection = 5
        settings.watched = 8
        let fixture = PresenceWatchFixture(nodes: 1, settings)
        let heard = ParleyTestSupport.Recorder<UserPresence>()
        let users = (0..<10).map { "u\($0)" }
        _ = try await fixture.watch(0, "c", by: "me", users, heard).get()
        #expect(heard.elements.count == 5)
        guard case .failure = await fixture.watch(0, "d", by: "me", users, heard) else {
            Issue.record("more than may be")
            return
        }
        #expect(await fixture.nodes[0].watch.counts.pairs == 5)
        fixture.nodes[0].watch.unwatch(ConnectionID(trusted: "d"))
        _ = try await fixture.watch(0, "e", by: "me", Array(users.prefix(3)), heard).get()
        #expect(await fixture.nodes[0].watch.counts.pairs == 8)
        await fixture.stop()
    }

    @Test("when memberships cannot be looked up the old list stays")
    func away() async throws {
        let fixture = PresenceWatchFixture()
        let heard = ParleyTestSupport.Recorder<UserPresence>()
        _ = try await fixture.watch(0, "c", by: "me", ["ann"], heard).get()
        fixture.lookUp.state.withLock { $0.isAway = true }
        guard case .failure(.unavailable) = await fixture.watch(0, "c", by: "me", ["bob"], heard) else {
            Issue.record("not unavailable")
            return
        }
        fixture.nodes[1].watch.connected(ann)
        try await heard.wait("ann") { $0.count >= 2 }
        #expect(heard.elements.map(\.text) == ["ann-", "ann+"])
        await fixture.stop()
    }

    @Test("a node that dies takes its users offline within 30 s")
    func crash() async throws {
        let fixture = PresenceWatchFixture(nodes: 3)
        let heard = ParleyTestSupport.Recorder<UserPresence>()
        fixture.nodes[1].watch.connected(ann)
        fixture.nodes[1].watch.connected(bob)
        fixture.nodes[2].watch.connected(bob)
        _ = await (fixture.nodes[1].watch.counts, fixture.nodes[2].watch.counts)
        _ = try await fixture.watch(0, "c", by: "me", ["ann", "bob"], heard).get()
        await fixture.pass(20_000)
        fixture.nodes[1].presenceRegistry.crash()
        // The lease of a real node is over after 15 s.
        await fixture.pass(14_000)
        try await heard.wait("ann") { $0.count >= 3 }
        #expect(heard.elements.dropFirst(2).map(\.text) == ["ann-"])
        await fixture.stop()
    }

    @Test("after a cut who is online is heard of at once, and who is not when all nodes have had time to speak")
    func cut() async throws {
        let fixture = PresenceWatchFixture(nodes: 3)
        let heard = ParleyTestSupport.Recorder<UserPresence>()
        fixture.nodes[1].watch.connected(ann)
        _ = await fixture.nodes[1].watch.counts
        _ = try await fixture.watch(0, "c", by: "me", ["ann", "bob"], heard).get()
        // As if Redis had lost all: node 1 has not published yet, and no presence of bob has been received.
        fixture.nodes[1].presenceRegistry.disconnected(ann)
        try await heard.wait("ann") { $0.count >= 3 }
        fixture.nodes[1].presenceRegistry.connected(ann)
        try await heard.wait("ann") { $0.count >= 4 }
        fixture.nodes[1].presenceRegistry.crash()
        fixture.nodes[0].watch.resynchronize()
        await fixture.pass(3000)
        #expect(heard.elements.count == 4)
        await fixture.pass(6000)
        try await heard.wait("ann, at last") { $0.count >= 5 }
        #expect(heard.elements.dropFirst(2).map(\.text) == ["ann-", "ann+", "ann-"])
        await fixture.stop()
    }

    @Test("a lease that is back by the next look is no death")
    func leases() {
        var check = LeaseCheck()
        let steps: [(Set<String>, Bool)] = [
            (["a", "b"], false), (["a"], false), (["a", "b"], false), (["a"], false), (["a"], true), (["a"], false),
            (["c"], false), (["c", "a"], false), ([], false), ([], true), (["a"], false),
        ]
        for (number, (leases, isGone)) in steps.enumerated() {
            #expect(check.update(leases) == isGone, "step \(number)")
        }
    }

    @Test("of two states of a user the later one is right, in whatever order they come")
    func stamps() {
        var table = WatchTable()
        let connection = ConnectionID(trusted: "c")
        let ticket = table.begin(connection)
        table.reserve([ann])
        func state(_ isOnline: Bool, _ stamp: Int64) -> UserPresence {
            UserPresence(user: ann, isOnline: isOnline, lastSeen: nil, stamp: stamp)
        }
        #expect(table.update(state(true, 5)).isEmpty)
        #expect(table.update(state(false, 4)).isEmpty)
        #expect(table.install(ticket, by: bob, [ann], shown: [ann]) { _ in }?.known == [state(true, 5)])
        #expect(table.release([ann]).isEmpty)
        #expect(table.update(state(false, 4)).isEmpty)
        #expect(table.update(state(true, 6)).isEmpty)
        #expect(table.update(state(false, 7)).count == 1)
        table.forgetStamps()
        #expect(table.update(state(true, 1)).count == 1)
        #expect(table.update(state(false, 2), trustsOffline: false).isEmpty)
        #expect(table.remove(connection) == [ann])
        #expect(table.isEmpty)
    }
}
