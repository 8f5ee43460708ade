import ParleyFanOut
import ParleyModel
import ParleyTestSupport
import ParleyWire
import Testing

@Suite("A new name or picture reaches everyone who shares a thread with the user", .timeLimit(.minutes(5)))
struct ProfileAnnouncementTests {
    private let alice = ChangeWatchFixture.user("alice")
    private let bob = ChangeWatchFixture.user("bob")
    private let zoe = ChangeWatchFixture.user("zoe")
    private let tea = ChangeWatchFixture.room("tea")
    private let milk = ChangeWatchFixture.room("milk")

    private static let frame = #"{"type":"user","user":{"id":"id-alice","username":"alice","display_name":"Al"}}"#

    @Test("one frame for each v1 socket on every loop, however many threads are shared; the user may be elsewhere")
    func once() async throws {
        try await ChangeWatchFixture.run { fixture in
            fixture.add(alice, tea, milk)
            fixture.add(bob, tea, milk, ChangeWatchFixture.room("other"))
            fixture.add(zoe, ChangeWatchFixture.room("other"))
            let near = try await fixture.socket(bob, dialect: .v1)
            let far = try await fixture.socket(bob, loop: 1, dialect: .v1)
            let line = try await fixture.socket(bob)
            let stranger = try await fixture.socket(zoe, dialect: .v1)
            fixture.feed.change(alice, to: Profile(displayName: "Al"))
            await fixture.watch.round()
            try await fixture.settle()
            #expect(near.profiles == [Self.frame])
            #expect(far.profiles == [Self.frame])
            #expect(line.profiles.isEmpty)
            #expect(stranger.profiles.isEmpty)
        }
    }

    @Test("the user's own sockets get it too, and their later messages have the name")
    func own() async throws {
        try await ChangeWatchFixture.run { fixture in
            fixture.add(alice, tea)
            let socket = try await fixture.socket(alice, dialect: .v1)
            #expect(try await socket.displayName() == nil)
            fixture.feed.change(alice, to: Profile(displayName: "Al"))
            await fixture.watch.round()
            try await fixture.settle()
            #expect(socket.profiles == [Self.frame])
            #expect(try await socket.displayName() == "Al")
            // A new socket begins with it.
            let other = try await fixture.socket(alice, loop: 1, dialect: .v1)
            #expect(try await other.displayName() == "Al")
        }
    }

    @Test("a control event for every node makes it read the feed at once, and a lost one is repaired by the interval")
    func soon() async throws {
        try await ChangeWatchFixture.run(interval: .seconds(3600)) { fixture in
            fixture.add(alice, tea)
            fixture.add(bob, tea)
            let socket = try await fixture.socket(bob, dialect: .v1)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await fixture.watch.run() }
                defer { group.cancelAll() }
                fixture.feed.change(alice, to: Profile(displayName: "Al"))
                fixture.bus.publish(.changed, to: .everyone)
                try #require(try await eventually { socket.profiles == [Self.frame] })
            }
        }
        try await ChangeWatchFixture.run(interval: .milliseconds(10)) { fixture in
            fixture.add(alice, tea)
            fixture.add(bob, tea)
            let socket = try await fixture.socket(bob, dialect: .v1)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await fixture.watch.run() }
                defer { group.cancelAll() }
                fixture.feed.change(alice, to: Profile(displayName: "Al"))
                try #require(try await eventually { socket.profiles == [Self.frame] })
            }
        }
    }

    @Test("after a feed starts over, the users of this node who have another display name are announced, and no others")
    func startsOver() async throws {
        try await ChangeWatchFixture.run { fixture in
            fixture.add(alice, tea)
            fixture.add(bob, tea)
            let own = try await fixture.socket(alice, dialect: .v1)
            let other = try await fixture.socket(bob, dialect: .v1)
            fixture.feed.change(alice, to: Profile(displayName: "Al"))
            // The report of the change is lost with the log.
            fixture.feed.edit { state in
                state.log = [.user(alice.id), .user(bob.id), .user(zoe.id)]
                state.oldest = 2
            }
            for _ in 0..<2 {
                await fixture.watch.round()
                try await fixture.settle()
            }
            #expect(own.profiles == [Self.frame])
            #expect(other.profiles == [Self.frame])
            #expect(try await own.displayName() == "Al")
        }
    }

    @Test("while the database is unavailable nothing is lost: the profile is announced when it answers")
    func away() async throws {
        try await ChangeWatchFixture.run { fixture in
            fixture.add(alice, tea)
            fixture.add(bob, tea)
            let socket = try await fixture.socket(bob, dialect: .v1)
            fixture.feed.change(alice, to: Profile(displayName: "Al"))
            fixture.feed.edit { $0.failure = .unavailable("away") }
            await fixture.watch.round()
            try await fixture.settle()
            #expect(socket.profiles.isEmpty)
            fixture.feed.edit { $0.failure = nil }
            await fixture.watch.round()
            try await fixture.settle()
            #expect(socket.profiles == [Self.frame])
        }
    }
}
