import ParleyFanOut
import ParleyModel
import ParleyTestContracts
import Testing

@Suite("A member for whom the log begins with their joining", .timeLimit(.minutes(5)))
struct HistoryStartTests {
    private let room = FanOutFixture.room("room")

    private func position(_ seq: Int64) -> Position { Position(epoch: Epoch("e1"), seq: seq) }

    private func snapshot(_ name: String, version: Int64, _ start: HistoryStart?) -> UserSnapshot {
        UserSnapshot(
            user: Samples.user(name), version: version, credentialsVersion: 0,
            memberships: [Membership(thread: room, role: .member, start: start)])
    }

    @Test("receives nothing below, though this node is behind the log, and others receive all")
    func behind() async throws {
        try await FanOutFixture.run { fixture in
            let node = try await fixture.makeNode()
            let ann = try await FakeClient("ann", on: node, loop: 0, in: [room])
            let bob = try await FakeClient("bob", on: node, loop: 0, in: [room], start: .stored(3))
            for text in ["one", "two", "three", "fence"] { try await fixture.send(text, in: room) }
            #expect(try await ann.wait(for: "fence") == ["one", "two", "three", "fence"])
            #expect(try await bob.wait(for: "fence") == ["three", "fence"])
        }
    }

    @Test("is not live while the start is unknown, and is when the store has it")
    func pending() async throws {
        try await FanOutFixture.run { fixture in
            let node = try await fixture.makeNode()
            let ann = try await FakeClient("ann", on: node, loop: 0, in: [room])
            let bob = try await FakeClient("bob", on: node, loop: 0, in: [room], start: .joining(entry: 7))
            #expect(try await !bob.isMember(of: room.id))
            for text in ["one", "two"] { try await fixture.send(text, in: room) }
            try await ann.wait(for: "two")
            await node.update(
                to: [snapshot("bob", version: 1, .joining(entry: 7))], readAfter: node.present(among: []).mark,
                waiting: true)
            #expect(try await !bob.isMember(of: room.id))
            await node.update(
                to: [snapshot("bob", version: 2, .stored(2))], readAfter: node.present(among: []).mark, waiting: true)
            #expect(try await bob.isMember(of: room.id))
            try await fixture.send("fence", in: room)
            #expect(try await bob.wait(for: "fence") == ["fence"])
            #expect(bob.all.contains(.added(room.id, after: 2)))
        }
    }

    @Test("keeps the start that a control event has told until the store has it, and leaves for a later joining")
    func rejoined() async throws {
        try await FanOutFixture.run { fixture in
            let node = try await fixture.makeNode()
            let bob = try await FakeClient(
                "bob", on: node, loop: 0, in: [room], start: .joined(position(1), entry: 7))
            func update(_ version: Int64, _ start: HistoryStart?) async throws -> HistoryStart? {
                await node.update(
                    to: [snapshot("bob", version: version, start)], readAfter: node.present(among: []).mark,
                    waiting: true)
                return try await bob.start(in: room.id)
            }
            #expect(try await update(1, .joining(entry: 7)) == .joined(position(1), entry: 7))
            #expect(try await update(2, .stored(1)) == .stored(1))
            #expect(!bob.all.contains(.removed(room.id)))
            // The user has left and returned, and this node has noticed neither.
            #expect(try await update(3, .joining(entry: 9)) == nil)
            try await bob.wait { $0.contains(.removed(room.id)) }
            #expect(try await update(4, .stored(1)) == .stored(1))
            try await bob.wait { $0.contains { if case .added = $0 { true } else { false } } }
        }
    }
}
