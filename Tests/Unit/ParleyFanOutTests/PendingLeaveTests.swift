import NIOCore
import ParleyFanOut
import ParleyMemory
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("Who is out of a thread has no rights, gets the own `left`, and nothing behind it", .timeLimit(.minutes(5)))
struct PendingLeaveTests {
    private let room = FanOutFixture.room("room")
    private let bob = Samples.user("bob")

    /// The bus of a node, and two sockets of Bob that have seen a message.
    private struct Fixture {
        let environment: FanOutFixture
        let bus: FaultyBus
        let node: FanOut
        let bobs: [FakeClient]
        let ann: FakeClient

        /// Waits until the fan-out has done what it was given to do.
        func settle() async throws {
            for loop in node.loops + node.loops { try await loop.submit {}.get() }
        }

        /// Waits until Bob may do nothing in the room.
        func endOfRights() async throws {
            for client in bobs {
                let hasEnded = try await eventually {
                    try await !client.isMember(of: FanOutFixture.room("room").id)
                }
                try #require(hasEnded, "the rights end")
            }
        }

        /// Something happens in the room.
        /// - Returns: where the log says so.
        func append(_ body: LogEvent.Body) async throws -> Position {
            try await environment.log.append(EventDraft(thread: FanOutFixture.room("room").id, body: body)).position
        }
    }

    private func run(leaveTimeout: TimeAmount = .minutes(10), _ body: (Fixture) async throws -> Void) async throws {
        try await FanOutFixture.run { environment in
            let bus = FaultyBus(environment.broker.makeBus())
            let node = try await environment.makeNode(bus: bus, leaveTimeout: leaveTimeout)
            let fixture = Fixture(
                environment: environment, bus: bus, node: node,
                bobs: [
                    try await FakeClient("bob", on: node, loop: 0, in: [room]),
                    try await FakeClient("bob", on: node, loop: 1, in: [room]),
                ],
                ann: try await FakeClient("ann", on: node, loop: 1, in: [room]))
            try await environment.send("1", in: room)
            for client in fixture.bobs { try await client.wait(for: "1") }
            try await body(fixture)
        }
    }

    @Test("though the user's channel is faster than that of the thread")
    func fastUser() async throws {
        try await run { fixture in
            fixture.bus.keepBack { $0.event != nil }
            let left = try await fixture.append(.left(bob, by: bob.id))
            try await fixture.environment.send("secret", in: room)
            fixture.bus.publish(.removed(room.id, left: left), to: bob.id)
            try await fixture.endOfRights()
            for client in fixture.bobs { #expect(client.all == [.text("1")]) }
            fixture.bus.release()
            for client in fixture.bobs { try await client.wait { $0.contains(.removed(room.id)) } }
            try await fixture.ann.wait(for: "secret")
            try await fixture.settle()
            for client in fixture.bobs {
                #expect(client.all == [.text("1"), .text("has left"), .removed(room.id), .membershipsChanged])
            }
        }
    }

    @Test("and though that of the thread is faster")
    func fastThread() async throws {
        try await run { fixture in
            let left = try await fixture.append(.left(bob, by: bob.id))
            for client in fixture.bobs { try await client.wait(for: "has left") }
            fixture.bus.publish(.removed(room.id, left: left), to: bob.id)
            for client in fixture.bobs { try await client.wait { $0.contains(.removed(room.id)) } }
            try await fixture.environment.send("secret", in: room)
            try await fixture.ann.wait(for: "secret")
            try await fixture.settle()
            for client in fixture.bobs {
                #expect(client.all == [.text("1"), .text("has left"), .removed(room.id), .membershipsChanged])
            }
        }
    }

    @Test("as when a node finds it out before the control event")
    func foundOut() async throws {
        try await run { fixture in
            let mark = await fixture.node.present(among: []).mark
            let out = UserSnapshot(user: bob, version: 1, credentialsVersion: 0, memberships: [])
            await fixture.node.update(to: [out], readAfter: mark)
            for client in fixture.bobs { #expect(try await !client.isMember(of: room.id)) }
            _ = try await fixture.append(.left(bob, by: bob.id))
            try await fixture.environment.send("secret", in: room)
            try await fixture.ann.wait(for: "secret")
            for client in fixture.bobs { try await client.wait { $0.contains(.removed(room.id)) } }
            for client in fixture.bobs { #expect(client.texts == ["1", "has left"]) }
        }
    }

    @Test("which is waited for as long as is said, and not longer")
    func neverCame() async throws {
        try await run(leaveTimeout: .milliseconds(20)) { fixture in
            fixture.bus.keepBack { $0.event != nil }
            let left = try await fixture.append(.left(bob, by: bob.id))
            fixture.bus.publish(.removed(room.id, left: left), to: bob.id)
            for client in fixture.bobs { try await client.wait { $0.contains(.removed(room.id)) } }
            fixture.bus.release()
            try await fixture.ann.wait(for: "has left")
            try await fixture.settle()
            for client in fixture.bobs { #expect(client.texts == ["1"]) }
        }
    }

    @Test("and not at all if nobody says where it is, as when a room is deleted")
    func withoutPlace() async throws {
        try await run { fixture in
            fixture.bus.keepBack { $0.event != nil }
            let left = try await fixture.append(.left(bob, by: bob.id))
            fixture.bus.publish(.removed(room.id, left: left), to: bob.id)
            fixture.bus.publish(.removed(room.id), to: bob.id)
            for client in fixture.bobs { try await client.wait { $0.contains(.removed(room.id)) } }
            fixture.bus.release()
            try await fixture.ann.wait(for: "has left")
            try await fixture.settle()
            for client in fixture.bobs { #expect(client.texts == ["1"]) }
        }
    }

    @Test("and who comes back at once comes in behind it")
    func comesBack() async throws {
        try await run { fixture in
            fixture.bus.keepBack { $0.event != nil }
            let left = try await fixture.append(.left(bob, by: bob.id))
            fixture.bus.publish(.removed(room.id, left: left), to: bob.id)
            let joined = try await fixture.append(.joined(bob))
            fixture.bus.publish(
                .added(Membership(thread: room, role: .member), after: joined.seq - 1), to: bob.id)
            try await fixture.endOfRights()
            fixture.bus.release()
            try await fixture.environment.send("2", in: room)
            for client in fixture.bobs {
                try await client.wait(for: "2")
                #expect(client.texts == ["1", "has left", "has joined", "2"])
                let received = client.all.filter { $0 != .membershipsChanged }
                #expect(received.firstIndex(of: .removed(room.id)) == 2)
                #expect(received.firstIndex(of: .added(room.id, after: left.seq)) == 3)
                #expect(try await client.isMember(of: room.id))
            }
        }
    }

    @Test("and who comes back on a new connection is not taken out by it")
    func reconnects() async throws {
        try await run { fixture in
            fixture.bus.keepBack { $0.event != nil }
            let left = try await fixture.append(.left(bob, by: bob.id))
            fixture.bus.publish(.removed(room.id, left: left), to: bob.id)
            try await fixture.endOfRights()
            for client in fixture.bobs { try await client.close() }
            let again = try await FakeClient("bob", on: fixture.node, loop: 0, in: [room], connection: "again")
            fixture.bus.release()
            try await fixture.environment.send("2", in: room)
            try await again.wait(for: "2")
            #expect(try await again.isMember(of: room.id))
            #expect(!again.all.contains(.removed(room.id)))
        }
    }
}
