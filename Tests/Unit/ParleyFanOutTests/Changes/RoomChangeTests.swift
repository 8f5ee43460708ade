import ParleyFanOut
import ParleyModel
import ParleyTestSupport
import Testing

@Suite("Details of rooms and blocks reach sockets by the change feed", .timeLimit(.minutes(5)))
struct RoomChangeTests {
    private let alice = ChangeWatchFixture.user("alice")
    private let bob = ChangeWatchFixture.user("bob")
    private let tea = ThreadID(trusted: "tea")

    private static func options(_ topic: String, changes: Int64) -> RoomOptions {
        var options = RoomOptions()
        (options.topic, options.changes) = (topic, changes)
        return options
    }

    @Test("all members on all loops get the options of a changed room once, and others do not")
    func options() async throws {
        try await ChangeWatchFixture.run { fixture in
            fixture.add(alice, ChangeWatchFixture.room("tea"))
            fixture.add(bob, ChangeWatchFixture.room("tea", .owner))
            let other = ChangeWatchFixture.user("other")
            fixture.add(other, ChangeWatchFixture.room("milk"))
            let sockets = [
                try await fixture.socket(alice), try await fixture.socket(alice, loop: 1),
                try await fixture.socket(bob),
            ]
            let stranger = try await fixture.socket(other)
            fixture.feed.change(tea, to: Self.options("Green", changes: 1))
            for _ in 0..<2 {
                await fixture.watch.round()
                try await fixture.settle()
            }
            for socket in sockets { #expect(try await eventually { socket.topics == ["Green"] }, "\(socket.topics)") }
            #expect(stranger.topics.isEmpty)
        }
    }

    @Test("a change is read again while the store fails, and for users whose snapshots are older than it")
    func late() async throws {
        try await ChangeWatchFixture.run { fixture in
            fixture.add(alice, ChangeWatchFixture.room("tea"))
            let early = try await fixture.socket(alice)
            fixture.feed.change(tea, to: Self.options("Green", changes: 1))
            await fixture.watch.round()
            #expect(try await eventually { early.topics == ["Green"] })
            // The snapshot of bob was read before the change.
            fixture.add(bob, ChangeWatchFixture.room("tea"))
            let late = try await fixture.socket(bob, loop: 1)
            fixture.feed.edit { $0.failure = .unavailable("test") }
            fixture.watch.pollSoon()
            await fixture.watch.round()
            fixture.feed.edit { $0.failure = nil }
            fixture.watch.pollSoon()
            await fixture.watch.round()
            #expect(try await eventually { late.topics == ["Green"] })
            #expect(early.topics == ["Green"])
        }
    }

    @Test("blocks come with the snapshot of the user, and a blocked direct thread with its membership")
    func blocks() async throws {
        try await ChangeWatchFixture.run { fixture in
            fixture.add(alice, ChangeWatchFixture.direct(alice, bob))
            let socket = try await fixture.socket(alice)
            let blocks = UserBlocks(made: [bob.id])
            fixture.feed.change(alice, [ChangeWatchFixture.direct(alice, bob).blocked])
            fixture.feed.edit { $0.snapshots[alice.id]?.blocks = blocks }
            await fixture.watch.round()
            #expect(try await eventually { socket.blocks == [blocks] && socket.topics == ["blocked"] })
        }
    }
}
