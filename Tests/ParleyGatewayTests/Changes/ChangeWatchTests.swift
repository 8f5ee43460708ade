import ParleyFanOut
import ParleyGateway
import ParleyModel
import ParleyTestSupport
import Testing

@Suite("A node finds out what has happened to its users", .timeLimit(.minutes(5)))
struct ChangeWatchTests {
    private let alice = WatchScene.user("alice")
    private let bob = WatchScene.user("bob")

    @Test("ten thousand idle users cost one question to the feed in each round, and nothing else")
    func idle() async throws {
        try await WatchScene.run { scene in
            for number in 0..<10_000 {
                let user = WatchScene.user("u\(number)")
                scene.add(user, WatchScene.room("r\(number % 100)"))
                try await scene.socket(user, loop: number % 2, version: 0)
            }
            let (requests, reads) = (scene.feed.requests.count, scene.feed.reads.count)
            for _ in 0..<5 { await scene.watch.round() }
            #expect(scene.feed.requests.count == requests + 5)
            #expect(scene.feed.reads.count == reads)
        }
    }

    @Test("memberships and roles reach every loop without a control event")
    func memberships() async throws {
        try await WatchScene.run { scene in
            scene.add(alice, WatchScene.room("stays"), WatchScene.room("role"), WatchScene.room("ends"))
            scene.add(bob, WatchScene.room("ends"))
            let sockets = [try await scene.socket(alice), try await scene.socket(alice, loop: 1)]
            let other = try await scene.socket(bob)
            scene.feed.change(
                alice,
                [WatchScene.room("stays"), WatchScene.room("role", .readOnly), WatchScene.room("new", .moderator)])
            await scene.watch.round()
            for socket in sockets {
                try await eventually("the new room") { try await socket.roles()["new"] == .moderator }
                #expect(try await socket.roles() == ["stays": .member, "role": .readOnly, "new": .moderator])
                #expect(!socket.isClosed)
            }
            #expect(try await other.roles() == ["ends": .member])
        }
    }

    @Test("sockets go whose session is over, whose credentials are void, whose key is deleted, or whose user is erased")
    func ends() async throws {
        try await WatchScene.run { scene in
            let (one, two, key) = (TokenHash("one"), TokenHash("two"), TokenHash("key"))
            let other = TokenHash("other")
            for (name, hash) in [("key", key), ("other", other)] {
                scene.feed.edit { $0.apiKeys[hash] = APIKeyRecord(name: name, hash: hash, created: 1) }
            }
            for user in [alice, bob] { scene.add(user) }
            let ended = try await scene.socket(alice, token: one)
            let lives = try await scene.socket(alice, loop: 1, token: two)
            let void = try await scene.socket(alice, version: 0)
            let fresh = try await scene.socket(alice, loop: 1, version: 1)
            let keyed = try await scene.socket(bob, version: 0, apiKey: key)
            let otherKeyed = try await scene.socket(bob, loop: 1, version: 0, apiKey: other)
            scene.sessions.end(one)
            scene.feed.change(alice, [], credentialsVersion: 1)
            scene.feed.edit { state in
                state.apiKeys[key] = nil
                state.log += [.key(key), .key(other)]
            }
            await scene.watch.round()
            try await eventually("three are gone") { ended.isClosed && void.isClosed && keyed.isClosed }
            try await scene.settle()
            #expect(!lives.isClosed && !fresh.isClosed && !otherKeyed.isClosed)
            scene.feed.erase(alice.id)
            await scene.watch.round()
            try await eventually("all are gone") { lives.isClosed && fresh.isClosed }
            #expect(!otherKeyed.isClosed)
        }
    }

    @Test("while the feed is away the mark stays, and what happened meanwhile is found afterwards")
    func feedAway() async throws {
        try await WatchScene.run { scene in
            scene.add(alice, WatchScene.room("a"))
            let socket = try await scene.socket(alice)
            let mark = try #require(scene.feed.requests.last)
            scene.feed.change(alice, [])
            scene.feed.edit { $0.failure = .unavailable("away") }
            for _ in 0..<3 { await scene.watch.round() }
            #expect(try await socket.roles() == ["a": .member])
            scene.feed.edit { $0.failure = nil }
            await scene.watch.round()
            #expect(try await socket.roles() == [:])
            #expect(scene.feed.requests.suffix(4).allSatisfy { $0 == max(mark, 0) }, "asked from the same mark")
        }
    }

    @Test("a feed that cannot say who has changed has all users looked at, in batches")
    func reset() async throws {
        try await WatchScene.run { scene in
            var sockets: [WatchedSocket] = []
            for number in 0..<1100 {
                let user = WatchScene.user("u\(number)")
                scene.add(user, WatchScene.room("r"))
                sockets.append(try await scene.socket(user, loop: number % 2))
                scene.feed.change(user, [], isTold: false)
            }
            let reads = scene.feed.reads.count
            scene.feed.edit { $0.oldest = .max }
            await scene.watch.round()
            scene.feed.edit { $0.oldest = 0 }
            for _ in 0..<2 { await scene.watch.round() }
            #expect(Array(scene.feed.reads.dropFirst(reads)) == [500, 500, 100])
            for socket in sockets { #expect(try await socket.roles() == [:]) }
        }
    }

    @Test("a database that has lost changes, and counts versions from before them, is believed")
    func lostChanges() async throws {
        try await WatchScene.run { scene in
            scene.add(alice, WatchScene.room("tea", .moderator))
            let before = try #require(scene.feed.edit { $0.snapshots[alice.id] })
            for _ in 0..<5 { scene.feed.change(alice, [WatchScene.room("tea", .owner)]) }
            let socket = try await scene.socket(alice)
            #expect(try await socket.roles() == ["tea": .owner])
            // A standby took over that had none of them.
            scene.feed.edit { state in
                state.snapshots[alice.id] = before
                state.oldest = .max
            }
            await scene.watch.round()
            try await eventually("the role from before") { try await socket.roles() == ["tea": .moderator] }
        }
    }

    @Test("a direct thread that the store does not have yet stays, and goes when it had it and has it no more")
    func directThreads() async throws {
        try await WatchScene.run { scene in
            scene.add(alice)
            let socket = try await scene.socket(alice)
            let direct = WatchScene.direct(alice, bob)
            scene.bus.publish(.added(direct, after: 0), to: alice.id)
            try await eventually("the direct thread") { try await socket.roles().count == 1 }
            // Something else happens before the first message is stored.
            scene.feed.change(alice, [WatchScene.room("r")])
            await scene.watch.round()
            try await eventually("the room") { try await socket.roles().count == 2 }
            scene.feed.change(alice, [WatchScene.room("r"), direct])
            await scene.watch.round()
            #expect(try await socket.roles().count == 2)
            scene.feed.change(alice, [WatchScene.room("r")])
            await scene.watch.round()
            #expect(try await socket.roles() == ["r": .member])
        }
    }

    @Test("a snapshot that a control event has overtaken is not applied, but read again")
    func overtaken() async throws {
        try await WatchScene.run { scene in
            scene.add(alice, WatchScene.room("old"))
            let socket = try await scene.socket(alice)
            scene.feed.change(alice, [WatchScene.room("old", .moderator)])
            // Between the read of the old state and its reply, the user joins another room, with an event.
            let (feed, bus, alice) = (scene.feed, scene.bus, alice)
            scene.feed.edit {
                $0.meanwhile = {
                    feed.change(alice, [WatchScene.room("old", .moderator), WatchScene.room("new")])
                    bus.publish(.added(WatchScene.room("new"), after: 0), to: alice.id)
                    try? await eventually("the new room") { try await socket.roles()["new"] != nil }
                }
            }
            await scene.watch.round()
            #expect(try await socket.roles() == ["old": .member, "new": .member])
            await scene.watch.round()
            #expect(try await socket.roles() == ["old": .moderator, "new": .member])
        }
    }

    @Test("a control event that comes too late is undone")
    func late() async throws {
        try await WatchScene.run { scene in
            scene.add(alice, WatchScene.room("r"))
            let socket = try await scene.socket(alice)
            // The user left and came back; the event of the leave comes last.
            scene.bus.publish(.removed(ThreadID(trusted: "r")), to: alice.id)
            try await eventually("the room is gone") { try await socket.roles().isEmpty }
            await scene.watch.round()
            try await eventually("the room is back") { try await socket.roles() == ["r": .member] }
        }
    }

    @Test("who was recognised before a change and comes in after it is looked at again")
    func reserved() async throws {
        try await WatchScene.run { scene in
            scene.add(alice)
            let token = TokenHash("one")
            try await scene.admit(alice)
            scene.sessions.end(token)
            scene.feed.change(alice, [])
            await scene.watch.round()
            let socket = try await scene.register(alice, token: token)
            #expect(!socket.isClosed)
            // The next tick does it; a round for another event need not.
            let run = Task { await scene.watch.run() }
            try await eventually("the socket is gone") { socket.isClosed }
            run.cancel()
        }
    }

    @Test("a new socket of a user who is here starts from the newest, and brings the other sockets to it")
    func secondSocket() async throws {
        try await WatchScene.run { scene in
            scene.add(alice, WatchScene.room("old"), WatchScene.room("role"))
            let first = try await scene.socket(alice)
            scene.feed.change(alice, [WatchScene.room("role", .readOnly), WatchScene.room("new")])
            let second = try await scene.socket(alice)
            for socket in [second, first] {
                #expect(try await socket.roles() == ["role": .readOnly, "new": .member])
            }
            scene.feed.erase(alice.id)
            await #expect(throws: UnknownUser.self) { try await scene.admit(alice) }
            await #expect(throws: UnknownUser.self) { try await scene.admit(WatchScene.user("nobody"), loop: 1) }
        }
    }

    @Test("a control event is looked at soon, without waiting for the next tick")
    func soon() async throws {
        try await WatchScene.run { scene in
            scene.add(alice)
            let socket = try await scene.socket(alice, version: 0)
            let run = Task { await scene.watch.run() }
            try await eventually("the first round") { scene.feed.requests.count >= 2 }
            let began = ContinuousClock.now
            scene.feed.change(alice, [], credentialsVersion: 1)
            scene.bus.publish(.changed, to: alice.id)
            try await eventually("the socket is gone") { socket.isClosed }
            #expect(ContinuousClock.now - began < .milliseconds(1500))
            run.cancel()
        }
    }
}
