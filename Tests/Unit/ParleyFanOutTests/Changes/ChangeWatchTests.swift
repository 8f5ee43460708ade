import ParleyFanOut
import ParleyModel
import ParleyTestSupport
import Testing

@Suite("A node finds out what has happened to its users", .timeLimit(.minutes(5)))
struct ChangeWatchTests {
    private let alice = ChangeWatchFixture.user("alice")
    private let bob = ChangeWatchFixture.user("bob")

    @Test("ten thousand idle users cost one question to the feed in each round, and nothing else")
    func idle() async throws {
        try await ChangeWatchFixture.run { fixture in
            for number in 0..<10_000 {
                let user = ChangeWatchFixture.user("u\(number)")
                fixture.add(user, ChangeWatchFixture.room("r\(number % 100)"))
                try await fixture.socket(user, loop: number % 2, version: 0)
            }
            let (requests, reads) = (fixture.feed.requests.count, fixture.feed.reads.count)
            for _ in 0..<5 { await fixture.watch.round() }
            #expect(fixture.feed.requests.count == requests + 5)
            #expect(fixture.feed.reads.count == reads)
        }
    }

    @Test("memberships and roles reach every loop without a control event")
    func memberships() async throws {
        try await ChangeWatchFixture.run { fixture in
            fixture.add(
                alice, ChangeWatchFixture.room("stays"), ChangeWatchFixture.room("role"),
                ChangeWatchFixture.room("ends"))
            fixture.add(bob, ChangeWatchFixture.room("ends"))
            let sockets = [try await fixture.socket(alice), try await fixture.socket(alice, loop: 1)]
            let other = try await fixture.socket(bob)
            fixture.feed.change(
                alice,
                [
                    ChangeWatchFixture.room("stays"), ChangeWatchFixture.room("role", .readOnly),
                    ChangeWatchFixture.room("new", .moderator),
                ])
            await fixture.watch.round()
            for socket in sockets {
                try #require(try await eventually { try await socket.roles()["new"] == .moderator }, "the new room")
                #expect(try await socket.roles() == ["stays": .member, "role": .readOnly, "new": .moderator])
                #expect(!socket.isClosed)
            }
            #expect(try await other.roles() == ["ends": .member])
        }
    }

    @Test("a mute, its change and its end reach the user's sockets once, without a control event, and no other's")
    func mutes() async throws {
        try await ChangeWatchFixture.run { fixture in
            fixture.add(alice, ChangeWatchFixture.room("tea"))
            fixture.add(bob, ChangeWatchFixture.room("tea"))
            let sockets = [try await fixture.socket(alice), try await fixture.socket(alice, loop: 1)]
            let other = try await fixture.socket(bob)
            let mutes = [
                Sanction(.mute, until: 9), Sanction(.mute, until: 9), Sanction(.mute, reason: "spam"), nil, nil,
            ]
            for mute in mutes {
                fixture.feed.change(alice, [ChangeWatchFixture.room("tea", mute: mute)])
                await fixture.watch.round()
                try await fixture.settle()
            }
            let told = [mutes[0], mutes[2], nil]
            for socket in sockets { #expect(try await eventually { socket.mutes == told }, "\(socket.mutes)") }
            #expect(other.mutes.isEmpty)
        }
    }

    @Test("a suspension reaches all sockets of the user, whatever opened them, without a control event, and no other's")
    func suspensions() async throws {
        try await ChangeWatchFixture.run { fixture in
            for user in [alice, bob] { fixture.add(user) }
            let sockets = [
                try await fixture.socket(alice, token: TokenHash("one")), try await fixture.socket(alice, version: 0),
                try await fixture.socket(alice, loop: 1, version: 0, apiKey: TokenHash("key")),
            ]
            let other = try await fixture.socket(bob)
            let suspension = Suspension(until: 9, reason: "spam")
            fixture.feed.edit {
                $0.apiKeys[TokenHash("key")] = APIKeyRecord(name: "key", hash: TokenHash("key"), created: 1)
            }
            fixture.feed.change(alice, [], suspension: suspension)
            fixture.feed.change(bob, [])
            await fixture.watch.round()
            try await fixture.settle()
            for socket in sockets {
                #expect(try await eventually { socket.suspensions == [suspension] }, "\(socket.suspensions)")
            }
            #expect(other.suspensions.isEmpty)
            fixture.feed.change(alice, [])
            await fixture.watch.round()
            try await fixture.settle()
            for socket in sockets { #expect(socket.suspensions == [suspension] && !socket.isClosed) }
        }
    }

    @Test("sockets go whose session is over, whose credentials are void, whose key is deleted, or whose user is erased")
    func ends() async throws {
        try await ChangeWatchFixture.run { fixture in
            let (one, two, key) = (TokenHash("one"), TokenHash("two"), TokenHash("key"))
            let other = TokenHash("other")
            for (name, hash) in [("key", key), ("other", other)] {
                fixture.feed.edit { $0.apiKeys[hash] = APIKeyRecord(name: name, hash: hash, created: 1) }
            }
            for user in [alice, bob] { fixture.add(user) }
            let ended = try await fixture.socket(alice, token: one)
            let lives = try await fixture.socket(alice, loop: 1, token: two)
            let void = try await fixture.socket(alice, version: 0)
            let fresh = try await fixture.socket(alice, loop: 1, version: 1)
            let keyed = try await fixture.socket(bob, version: 0, apiKey: key)
            let otherKeyed = try await fixture.socket(bob, loop: 1, version: 0, apiKey: other)
            fixture.sessions.end(one)
            fixture.feed.change(alice, [], credentialsVersion: 1)
            fixture.feed.edit { state in
                state.apiKeys[key] = nil
                state.log += [.key(key), .key(other)]
            }
            await fixture.watch.round()
            try #require(try await eventually { ended.isClosed && void.isClosed && keyed.isClosed }, "three are gone")
            try await fixture.settle()
            #expect(!lives.isClosed && !fresh.isClosed && !otherKeyed.isClosed)
            fixture.feed.erase(alice.id)
            await fixture.watch.round()
            try #require(try await eventually { lives.isClosed && fresh.isClosed }, "all are gone")
            #expect(!otherKeyed.isClosed)
        }
    }

    @Test("while the feed is away the mark stays, and what happened meanwhile is found afterwards")
    func feedAway() async throws {
        try await ChangeWatchFixture.run { fixture in
            fixture.add(alice, ChangeWatchFixture.room("a"))
            let socket = try await fixture.socket(alice)
            let mark = try #require(fixture.feed.requests.last)
            fixture.feed.change(alice, [])
            fixture.feed.edit { $0.failure = .unavailable("away") }
            for _ in 0..<3 { await fixture.watch.round() }
            #expect(try await socket.roles() == ["a": .member])
            fixture.feed.edit { $0.failure = nil }
            await fixture.watch.round()
            #expect(try await socket.roles() == [:])
            #expect(fixture.feed.requests.suffix(4).allSatisfy { $0 == max(mark, 0) }, "asked from the same mark")
        }
    }

    @Test("a feed that cannot say who has changed has all users looked at, in batches")
    func reset() async throws {
        try await ChangeWatchFixture.run { fixture in
            var sockets: [WatchedSocket] = []
            for number in 0..<1100 {
                let user = ChangeWatchFixture.user("u\(number)")
                fixture.add(user, ChangeWatchFixture.room("r"))
                sockets.append(try await fixture.socket(user, loop: number % 2))
                fixture.feed.change(user, [], isTold: false)
            }
            let reads = fixture.feed.reads.count
            fixture.feed.edit { $0.oldest = .max }
            await fixture.watch.round()
            fixture.feed.edit { $0.oldest = 0 }
            for _ in 0..<2 { await fixture.watch.round() }
            #expect(Array(fixture.feed.reads.dropFirst(reads)) == [500, 500, 100])
            for socket in sockets { #expect(try await socket.roles() == [:]) }
        }
    }

    @Test("a database that has lost changes, and counts versions from before them, is believed")
    func lostChanges() async throws {
        try await ChangeWatchFixture.run { fixture in
            fixture.add(alice, ChangeWatchFixture.room("tea", .moderator))
            let before = try #require(fixture.feed.edit { $0.snapshots[alice.id] })
            for _ in 0..<5 { fixture.feed.change(alice, [ChangeWatchFixture.room("tea", .owner)]) }
            let socket = try await fixture.socket(alice)
            #expect(try await socket.roles() == ["tea": .owner])
            // A standby took over that had none of them.
            fixture.feed.edit { state in
                state.snapshots[alice.id] = before
                state.oldest = .max
            }
            await fixture.watch.round()
            try #require(
                try await eventually { try await socket.roles() == ["tea": .moderator] }, "the role from before")
        }
    }

    @Test("a direct thread that the store does not have yet stays, and goes when it had it and has it no more")
    func directThreads() async throws {
        try await ChangeWatchFixture.run { fixture in
            fixture.add(alice)
            let socket = try await fixture.socket(alice)
            let direct = ChangeWatchFixture.direct(alice, bob)
            fixture.bus.publish(.added(direct, after: 0), to: alice.id)
            try #require(try await eventually { try await socket.roles().count == 1 }, "the direct thread")
            // Something else happens before the first message is stored.
            fixture.feed.change(alice, [ChangeWatchFixture.room("r")])
            await fixture.watch.round()
            try #require(try await eventually { try await socket.roles().count == 2 }, "the room")
            fixture.feed.change(alice, [ChangeWatchFixture.room("r"), direct])
            await fixture.watch.round()
            #expect(try await socket.roles().count == 2)
            fixture.feed.change(alice, [ChangeWatchFixture.room("r")])
            await fixture.watch.round()
            #expect(try await socket.roles() == ["r": .member])
        }
    }

    @Test("a snapshot that a control event has overtaken is not applied, but read again")
    func overtaken() async throws {
        try await ChangeWatchFixture.run { fixture in
            fixture.add(alice, ChangeWatchFixture.room("old"))
            let socket = try await fixture.socket(alice)
            fixture.feed.change(alice, [ChangeWatchFixture.room("old", .moderator)])
            // Between the read of the old state and its reply, the user joins another room, with an event.
            let (feed, bus, alice) = (fixture.feed, fixture.bus, alice)
            fixture.feed.edit {
                $0.meanwhile = {
                    feed.change(alice, [ChangeWatchFixture.room("old", .moderator), ChangeWatchFixture.room("new")])
                    bus.publish(.added(ChangeWatchFixture.room("new"), after: 0), to: alice.id)
                    _ = try? await eventually { try await socket.roles()["new"] != nil }
                }
            }
            await fixture.watch.round()
            #expect(try await socket.roles() == ["old": .member, "new": .member])
            await fixture.watch.round()
            #expect(try await socket.roles() == ["old": .moderator, "new": .member])
        }
    }

    @Test("a control event that comes too late is undone")
    func late() async throws {
        try await ChangeWatchFixture.run { fixture in
            fixture.add(alice, ChangeWatchFixture.room("r"))
            let socket = try await fixture.socket(alice)
            // The user left and came back; the event of the leave comes last.
            fixture.bus.publish(.removed(ThreadID(trusted: "r")), to: alice.id)
            try #require(try await eventually { try await socket.roles().isEmpty }, "the room is gone")
            await fixture.watch.round()
            try #require(try await eventually { try await socket.roles() == ["r": .member] }, "the room is back")
        }
    }

    @Test("who was recognised before a change and comes in after it is looked at again")
    func reserved() async throws {
        try await ChangeWatchFixture.run { fixture in
            fixture.add(alice)
            let token = TokenHash("one")
            try await fixture.admit(alice)
            fixture.sessions.end(token)
            fixture.feed.change(alice, [])
            await fixture.watch.round()
            let socket = try await fixture.register(alice, token: token)
            #expect(!socket.isClosed)
            // The next tick does it; a round for another event need not.
            let run = Task { await fixture.watch.run() }
            try #require(try await eventually { socket.isClosed }, "the socket is gone")
            run.cancel()
        }
    }

    @Test("a new socket of a user who is here starts from the newest, and brings the other sockets to it")
    func secondSocket() async throws {
        try await ChangeWatchFixture.run { fixture in
            fixture.add(alice, ChangeWatchFixture.room("old"), ChangeWatchFixture.room("role"))
            let first = try await fixture.socket(alice)
            fixture.feed.change(alice, [ChangeWatchFixture.room("role", .readOnly), ChangeWatchFixture.room("new")])
            let second = try await fixture.socket(alice)
            for socket in [second, first] {
                #expect(try await socket.roles() == ["role": .readOnly, "new": .member])
            }
            fixture.feed.erase(alice.id)
            await #expect(throws: UnknownUser.self) { try await fixture.admit(alice) }
            await #expect(throws: UnknownUser.self) {
                try await fixture.admit(ChangeWatchFixture.user("nobody"), loop: 1)
            }
        }
    }

    @Test("a control event is looked at soon, without waiting for the next tick")
    func soon() async throws {
        try await ChangeWatchFixture.run(interval: .seconds(3600)) { fixture in
            fixture.add(alice)
            let socket = try await fixture.socket(alice, version: 0)
            let run = Task { await fixture.watch.run() }
            try #require(try await eventually { fixture.feed.requests.count >= 2 }, "the first round")
            fixture.feed.change(alice, [], credentialsVersion: 1)
            fixture.bus.publish(.changed, to: alice.id)
            try #require(try await eventually { socket.isClosed }, "the socket is gone")
            run.cancel()
        }
    }
}
