import ParleyChannels
import ParleyDjangoQueues
import ParleyModel
import ParleyRedis
import ParleyRedisClient
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("Events of Django's core layer reach the subscribers of their thread", .timeLimit(.minutes(3)))
struct QueueInboxTests {
    private let thread = Samples.thread("room")

    @Test("an event reaches every node in order", arguments: Shape.core)
    func order(_ shape: Shape) async throws {
        let fixture = try await RedisFixture.start(shape)
        let django = try await DjangoQueues.start(fixture.settings)
        try await fixture.whileRunning(storing: true) {
            let nodes = [try await fixture.makeNode(), try await fixture.makeNode()]
            for node in nodes { try await node.bus.subscribe(to: [.thread(thread)]) }
            try await django.waitForMembers(2, of: "room")
            for number in 0..<300 { try await django.groupSend(DjangoQueues.message(number), to: "room") }
            for node in nodes {
                let signals = try await node.received.wait(count: 300)
                try #require(signals == (0..<300).map { DjangoQueues.foreign($0, in: thread) }, "what a node hears")
            }
        }
        await django.stop()
    }

    @Test("a node leaves a group when nobody wants it, and all groups when it stops")
    func leaving() async throws {
        let fixture = try await RedisFixture.start(Shape(isCore: true))
        let django = try await DjangoQueues.start(fixture.settings)
        let other = Samples.thread("other")
        try await fixture.whileRunning(storing: true) {
            let node = try await fixture.makeNode()
            try await node.bus.subscribe(to: [.thread(thread), .thread(other)])
            for name in ["room", "other"] { try await django.waitForMembers(1, of: name) }
            node.bus.unsubscribe(from: [.thread(thread)])
            try await django.waitForMembers(0, of: "room")
            try await django.waitForMembers(1, of: "other")
        }
        try await django.waitForMembers(0, of: "other")
        await django.stop()
    }

    @Test("memberships are written again when Redis has lost them, and expire after an hour at most")
    func renewal() async throws {
        let fixture = try await RedisFixture.start(Shape(isCore: true))
        let django = try await DjangoQueues.start(fixture.settings)
        try await fixture.whileRunning(storing: true) {
            let node = try await fixture.makeNode()
            try await node.bus.subscribe(to: [.thread(thread)])
            try await django.waitForMembers(1, of: "room")
            let reply = try await django.send(on: "room", "ZRANGE", "asgi:group:room", "0", "-1", "WITHSCORES")
            let score = try #require(reply.elements?.last?.text.flatMap(Double.init))
            let left = score + 86_400 - Double(WallClock.system.seconds)
            try #require((3500...3700).contains(left), "seconds that the membership counts")
            try await fixture.servers[0].restart()
            try await node.received.wait("the restored connection") { $0.contains(.resubscribed) }
            let isBack = try await eventually { (try? await django.members(of: "room").count) == 1 }
            try #require(isBack, "member again")
            try await django.groupSend(DjangoQueues.message(1), to: "room")
            try await node.received.wait("the event") { $0.contains(DjangoQueues.foreign(1, in: thread)) }
        }
        await django.stop()
    }

    @Test("poison in a queue is counted, and what follows is delivered", arguments: Shape.core)
    func poison(_ shape: Shape) async throws {
        let fixture = try await RedisFixture.start(shape)
        let django = try await DjangoQueues.start(fixture.settings)
        let poison = try DjangoPoison()
        let metrics = MetricsRecorder()
        try await fixture.whileRunning(storing: true) {
            let node = try await fixture.start(named: "poisoned", metrics: metrics).logNode
            try await node.bus.subscribe(to: [.thread(thread)])
            try await django.waitForMembers(1, of: "room")
            let queue = QueueNames.queue(of: try await django.members(of: "room")[0])
            for payload in poison.payloads { try await django.put(payload, into: queue) }
            for length in [0, 1, 12] { try await django.put(member: [UInt8](repeating: 1, count: length), into: queue) }
            for type in poison.dangerousTypes {
                let event = ChannelsValue.object(["type": .text(type), "message": .object([:])])
                try await django.groupSend(event, to: "room")
            }
            try await django.groupSend(DjangoQueues.message(1), to: "room")
            let signals = try await node.received.wait(count: 1)
            try #require(signals == [DjangoQueues.foreign(1, in: thread)], "what is delivered")
            let count = poison.payloads.count + 3 + poison.dangerousTypes.count
            let counted =
                (metrics["parley_bus_poison_total{}"] ?? 0) + (metrics["parley_bus_foreign_dropped_total{}"] ?? 0)
            try #require(Int(counted) == count, "poison, and events that are none for clients")
            try #require(metrics["parley_channels_received_total{}"].map { Int($0) } == count + 1)
        }
        await django.stop()
    }

    @Test("an event that waits for a node of this name is delivered once its thread is subscribed to")
    func restart() async throws {
        let fixture = try await RedisFixture.start(Shape(isCore: true))
        let django = try await DjangoQueues.start(fixture.settings)
        // As an earlier process has left it.
        let member = LayerQueues(node: "crashed", ring: HostRing(count: 1)).member(of: thread, on: 0)
        try await django.send(on: "room", "ZADD", "asgi:group:room", "\(WallClock.system.seconds)", member)
        let event = QueueMember.event(DjangoQueues.message(1), to: [member])
        let payload = try MessagePackWriter.encode(event)
        try await django.put(payload, into: QueueNames.queue(of: member), age: 5)
        try await fixture.whileRunning(storing: true) {
            let node = try await fixture.start(named: "crashed").logNode
            let isEmpty = try await eventually {
                try await django.send(on: "", "EXISTS", "asgi\(QueueNames.queue(of: member))").number == 0
            }
            try #require(isEmpty, "the queue is read")
            try await node.bus.subscribe(to: [.thread(thread)])
            let signals = try await node.received.wait(count: 1)
            try #require(signals == [DjangoQueues.foreign(1, in: thread)], "what is delivered")
        }
        await django.stop()
    }

    @Test("a second process of the same name does not start")
    func claim() async throws {
        let fixture = try await RedisFixture.start(Shape(isCore: true))
        try await fixture.whileRunning(storing: true) {
            _ = try await fixture.start(named: "twin")
            await #expect(throws: QueueClaim.Taken.self) { try await fixture.start(named: "twin") }
        }
    }

    @Test("the documented permissions are enough, for Parley and for Django")
    func permissions() async throws {
        let rules = [
            ["--user", "django", "on", ">secret", "~asgi*", "resetchannels", "-@all"]
                + ["+@connection", "+@sortedset", "+@keyspace", "+@scripting", "+@transaction", "-@dangerous"],
            ["--user", "parley", "on", ">secret", "~parley:*", "~asgi*", "resetchannels", "&asgi*", "&parley:*"]
                + ["+@all", "-@dangerous", "+info", "+role"],
        ]
        let server = try await RedisServer.start(.init(arguments: rules.flatMap(\.self)))
        func settings(_ user: String) throws -> RedisSettings {
            var settings = RedisSettings(
                addresses: [try RedisAddress("redis://\(user):secret@127.0.0.1:\(server.port)")])
            settings.channels.core = QueueLayerSettings()
            return settings
        }
        let node = try await RedisNode.start(settings("parley"), history: NaiveStore())
        let django = try await DjangoQueues.start(settings("django"))
        let running = Task { await node.run() }
        let received = node.logNode
        try await received.bus.subscribe(to: [.thread(thread)])
        try await django.waitForMembers(1, of: "room")
        try await django.groupSend(DjangoQueues.message(1), to: "room")
        try await received.received.wait(count: 1)
        try await django.join("room")
        _ = try await received.log.append(Samples.send("hi", in: thread))
        try #require(try await django.receive(1).map(\.text) == ["hi"], "what Django gets")
        running.cancel()
        await running.value
        await node.stop()
        await django.stop()
    }
}
