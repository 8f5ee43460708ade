import NIOCore
import ParleyFanOut
import ParleyMemory
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import ParleyWire
import Synchronization
import Testing

@Suite("Everybody gets every event of their threads once, in order", .timeLimit(.minutes(5)))
struct FanOutTests {
    private let room = FanOutFixture.room("room")

    @Test("on two nodes with two loops each")
    func everywhere() async throws {
        try await FanOutFixture.run { fixture in
            var clients: [FakeClient] = []
            for node in [try await fixture.makeNode(), try await fixture.makeNode()] {
                for loop in 0...1 {
                    clients.append(try await FakeClient("ann", on: node, loop: loop, in: [room]))
                    clients.append(try await FakeClient("bob\(loop)", on: node, loop: loop, in: [room]))
                }
            }
            try await fixture.sendMany(100, in: room)
            try await fixture.send("fence", in: room)
            let expected = try await fixture.texts(of: room)
            #expect(expected.count == 401)
            for client in clients {
                let texts = try await client.wait(for: "fence")
                #expect(texts == expected)
                #expect(client.all.count == texts.count, "nothing but the texts")
            }
        }
    }

    @Test("though the bus loses every seventh event")
    func lossyBus() async throws {
        try await FanOutFixture.run { fixture in
            let bus = LossyBus(fixture.broker.makeBus())
            let node = try await fixture.makeNode(bus: bus)
            let clients = [
                try await FakeClient("ann", on: node, loop: 0, in: [room]),
                try await FakeClient("bob", on: node, loop: 1, in: [room]),
            ]
            try await fixture.sendMany(100, from: 3, in: room)
            // The last event must not be a lost one: the loss would not be detected before the next event.
            try await fixture.send("lost", in: room)
            try await fixture.send("fence", in: room)
            let expected = try await fixture.texts(of: room)
            for client in clients {
                let texts = try await client.wait(for: "fence")
                #expect(texts == expected)
            }
            #expect(bus.events == 302)
        }
    }

    @Test("where a thread ends is known though that of another cannot be read")
    func halfLog() async throws {
        try await FanOutFixture.run { fixture in
            let other = FanOutFixture.room("other")
            let node = try await fixture.makeNode(log: PartlyUnavailableLog(log: fixture.log, away: [other.id]))
            try await fixture.send("before", in: room)
            _ = try await FakeClient("ann", on: node, loop: 0, in: [room, other])
            let ends = await withCheckedContinuation { reply in
                node.ends(of: [room.id], on: 0) { reply.resume(returning: $0) }
            }
            #expect(ends.positions[room.id]?.seq == 1)
            let both = await withCheckedContinuation { reply in
                node.ends(of: [room.id, other.id], on: 0) { reply.resume(returning: $0) }
            }
            #expect(both.positions[room.id]?.seq == 1)
            #expect(both.unavailable == [other.id])
        }
    }

    @Test("an event that was lost is found though no other follows it")
    func lostLast() async throws {
        try await FanOutFixture.run { fixture in
            let bus = LossyBus(fixture.broker.makeBus())
            let node = try await fixture.makeNode(bus: bus, headCheck: .milliseconds(60))
            let ann = try await FakeClient("ann", on: node, loop: 1, in: [room])
            for number in 1...LossyBus.period { try await fixture.send("\(number)", in: room) }
            #expect(try await ann.wait(for: "\(LossyBus.period)") == (1...LossyBus.period).map { "\($0)" })
        }
    }

    @Test("from the admission on, in the middle of a stream", arguments: UInt64(1)...10)
    func admittedInMidStream(_ seed: UInt64) async throws {
        print("seed \(seed)")
        var generator = SeededGenerator(seed)
        let (moment, loop) = (Int.random(in: 1...150, using: &generator), Int.random(in: 0...1, using: &generator))
        try await FanOutFixture.run { fixture in
            let nodes = [try await fixture.makeNode(), try await fixture.makeNode()]
            let ann = try await FakeClient("ann", on: nodes[0], loop: 0, in: [room])
            async let stream: Void = fixture.sendMany(100, in: room)
            try await ann.wait { $0.count >= moment }
            for (index, node) in nodes.enumerated() {
                let bob = try await FakeClient("bob", on: node, loop: loop, in: [room])
                try await fixture.send("admitted \(index)", in: room)
                try await bob.wait(for: "admitted \(index)")
                let before = bob.texts
                let all = try await fixture.texts(of: room)
                let start = try #require(all.firstIndex(of: before[0]), "seed \(seed)")
                #expect(Array(all[start...].prefix(before.count)) == before, "seed \(seed)")
                if index == 1 {
                    try await stream
                    try await fixture.send("fence", in: room)
                    let expected = try await fixture.texts(of: room)
                    let texts = try await bob.wait(for: "fence")
                    #expect(texts == Array(expected[start...]), "seed \(seed)")
                    #expect(try await ann.wait(for: "fence") == expected, "seed \(seed)")
                }
            }
        }
    }

    @Test(
        "from where a new member may see the log, once, whether others here follow it or not",
        arguments: [true, false], [Int64(0), 40, 99, 100])
    func added(_ othersFollow: Bool, _ after: Int64) async throws {
        try await FanOutFixture.run { fixture in
            let node = try await fixture.makeNode()
            let publisher = fixture.broker.makeBus()
            let ann = othersFollow ? try await FakeClient("ann", on: node, loop: 1, in: [room]) : nil
            let bobs = [
                try await FakeClient("bob", on: node, loop: 0, in: []),
                try await FakeClient("bob", on: node, loop: 1, in: []),
            ]
            for number in 1...100 { try await fixture.send("early \(number)", in: room) }
            async let stream: Void = fixture.sendMany(50, in: room)
            // Delivered twice, as a bus may do.
            for _ in 1...2 {
                publisher.publish(
                    .added(Membership(thread: room, role: .member), after: after), to: UserID(trusted: "bob"))
            }
            try await stream
            for bob in bobs { try await bob.wait { $0.contains(.membershipsChanged) } }
            try await fixture.send("fence", in: room)
            let expected = try await fixture.texts(of: room, after: after)
            for bob in bobs { #expect(try await bob.wait(for: "fence") == expected) }
            if let ann { #expect(try await ann.wait(for: "fence") == fixture.texts(of: room)) }
        }
    }

    @Test("until they are removed, and again when they are added again")
    func removed() async throws {
        try await FanOutFixture.run { fixture in
            let node = try await fixture.makeNode()
            let publisher = fixture.broker.makeBus()
            let ann = try await FakeClient("ann", on: node, loop: 0, in: [room])
            let bob = try await FakeClient("bob", on: node, loop: 1, in: [room])
            try await fixture.send("1", in: room)
            publisher.publish(.removed(room.id), to: UserID(trusted: "bob"))
            try await bob.wait { Set($0) == [.text("1"), .removed(room.id), .membershipsChanged] }
            try await fixture.send("2", in: room)
            try await ann.wait(for: "2")
            publisher.publish(.added(Membership(thread: room, role: .member), after: 2), to: UserID(trusted: "bob"))
            try await bob.wait { $0.suffix(2) == [.added(room.id, after: 2), .membershipsChanged] }
            try await fixture.send("3", in: room)
            try await bob.wait(for: "3")
            #expect(bob.texts == ["1", "3"])
            #expect(try await ann.wait(for: "3") == ["1", "2", "3"])
        }
    }

    @Test("and only they are told of their own mute")
    func muted() async throws {
        try await FanOutFixture.run { fixture in
            let node = try await fixture.makeNode()
            let publisher = fixture.broker.makeBus()
            let ann = try await FakeClient("ann", on: node, loop: 0, in: [room])
            let bob = try await FakeClient("bob", on: node, loop: 1, in: [room])
            let mute = Sanction(.mute, until: 9)
            publisher.publish(
                .added(Membership(thread: room, role: .member, mute: mute), after: 0), to: UserID(trusted: "bob"))
            try await bob.wait { $0.suffix(2) == [.muteChanged(room.id, mute), .membershipsChanged] }
            try await fixture.send("fence", in: room)
            #expect(try await ann.wait(for: "fence") == ["fence"])
            #expect(!ann.all.contains(.muteChanged(room.id, mute)))
        }
    }

    @Test("but a direct client is not shown its own sends", arguments: [0, 1])
    func origin(_ loop: Int) async throws {
        try await FanOutFixture.run { fixture in
            let node = try await fixture.makeNode()
            let own = try await FakeClient(
                "ann", on: node, loop: loop, in: [room], dialect: .direct, connection: "own")
            let other = try await FakeClient(
                "ann", on: node, loop: loop, in: [room], dialect: .direct, connection: "other")
            let line = try await FakeClient("ann", on: node, loop: loop, in: [room], connection: "line")
            let bob = Samples.user("bob")
            for (text, origin) in [("1", own), ("2", other), ("3", line), ("4", own), ("5", other)] {
                let message = Samples.message(text, to: bob)
                _ = try await fixture.log.append(
                    EventDraft(thread: room.id, body: .message(message), origin: origin.connection))
            }
            let fence = Samples.message("fence", to: bob)
            _ = try await fixture.log.append(EventDraft(thread: room.id, body: .message(fence)))
            #expect(try await own.wait(for: "fence") == ["2", "3", "5", "fence"])
            #expect(try await other.wait(for: "fence") == ["1", "3", "4", "fence"])
            #expect(try await line.wait(for: "fence") == ["1", "2", "3", "4", "5", "fence"])
        }
    }

    @Test("all sockets of an erased user are told so, whatever they hang on")
    func erased() async throws {
        try await FanOutFixture.run { fixture in
            let node = try await fixture.makeNode()
            let ann = [
                try await FakeClient(
                    "ann", on: node, loop: 0, in: [room], connection: "1", token: TokenHash("aa")),
                try await FakeClient("ann", on: node, loop: 1, in: [room], connection: "2"),
            ]
            let bob = try await FakeClient("bob", on: node, loop: 0, in: [room], connection: "3")
            fixture.broker.makeBus().publish(.erased, to: UserID(trusted: "ann"))
            try await fixture.send("fence", in: room)
            for client in ann {
                try await client.wait(for: "fence")
                #expect(client.all == [.revoked, .text("fence")])
            }
            try await bob.wait(for: "fence")
            #expect(bob.all == [.text("fence")])
        }
    }

    @Test("and only the sockets of a void session are told so")
    func sessionRevoked() async throws {
        try await FanOutFixture.run { fixture in
            let node = try await fixture.makeNode()
            let (void, good) = (TokenHash("aa"), TokenHash("bb"))
            let revoked = [
                try await FakeClient("ann", on: node, loop: 0, in: [room], connection: "1", token: void),
                try await FakeClient("ann", on: node, loop: 1, in: [room], connection: "2", token: void),
            ]
            let others = [
                try await FakeClient("ann", on: node, loop: 0, in: [room], connection: "3", token: good),
                try await FakeClient("ann", on: node, loop: 1, in: [room], connection: "4"),
                try await FakeClient("bob", on: node, loop: 0, in: [room], connection: "5", token: void),
            ]
            fixture.broker.makeBus().publish(.sessionRevoked(void), to: UserID(trusted: "ann"))
            try await fixture.send("fence", in: room)
            for client in revoked {
                try await client.wait(for: "fence")
                #expect(client.all == [.revoked, .text("fence")])
            }
            for client in others {
                try await client.wait(for: "fence")
                #expect(client.all == [.text("fence")])
            }
        }
    }

    @Test("and topics that nobody wants are given up, and taken up again")
    func linger() async throws {
        try await FanOutFixture.run { fixture in
            let node = try await fixture.makeNode(linger: .milliseconds(20))
            for round in 1...3 {
                let ann = try await FakeClient("ann", on: node, loop: 0, in: [room])
                let bob = try await FakeClient("bob", on: node, loop: 1, in: [room, FanOutFixture.room("other")])
                #expect(try await node.topicCount() == 4)
                try await bob.close()
                #expect(try await eventually { try await node.topicCount() == 2 }, "ann and the room stay")
                try await fixture.send("round \(round)", in: room)
                #expect(try await ann.wait(for: "round \(round)") == ["round \(round)"])
                try await ann.close()
                #expect(try await eventually { try await node.topicCount() == 0 })
                #expect(bob.texts.isEmpty)
            }
        }
    }

    @Test("and a user whose memberships cannot be read is not admitted, and leaves nothing behind")
    func notAdmitted() async throws {
        try await FanOutFixture.run { fixture in
            let node = try await fixture.makeNode(linger: .milliseconds(20))
            await #expect(throws: BusError.unavailable("store")) {
                try await node.admit(Samples.user("ann"), on: 1, encoding: Encoding(dialect: .line)) { _ in
                    throw BusError.unavailable("store")
                }
            }
            #expect(try await eventually { try await node.topicCount() == 0 })
            let ann = try await FakeClient("ann", on: node, loop: 1, in: [room])
            try await fixture.send("1", in: room)
            try await ann.wait(for: "1")
        }
    }

    @Test("and neither are their other sockets that wait for the same memberships")
    func noneAdmitted() async throws {
        let (ann, encoding) = (Samples.user("ann"), Encoding(dialect: .line))
        try await FanOutFixture.run { fixture in
            let node = try await fixture.makeNode(linger: .milliseconds(20))
            for _ in 0..<20 {
                let begun = Begun()
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            begun.count.withLock { $0 += 1 }
                            await #expect(throws: BusError.unavailable("store")) {
                                // Whichever is first reads, and fails when all have begun: then most wait for it.
                                try await node.admit(ann, on: 1, encoding: encoding) { _ in
                                    while begun.count.withLock({ $0 < 8 }) { await Task.yield() }
                                    throw BusError.unavailable("store")
                                }
                            }
                        }
                    }
                }
            }
            #expect(try await eventually { try await node.topicCount() == 0 })
        }
    }

    private final class Begun: Sendable {
        let count = Mutex(0)
    }
}
