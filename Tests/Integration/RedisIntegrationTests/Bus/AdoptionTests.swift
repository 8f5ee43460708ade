import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyRedisClient
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("Adopted events on Redis", .timeLimit(.minutes(3)))
struct AdoptionTests {
    private let thread = Samples.thread("room")

    private static func message(_ text: String) -> ChannelsValue {
        .object(["type": .text("chat.message"), "message": .object(["text": .text(text), "sender_id": .int(1)])])
    }

    private static func adopting(_ shape: Shape) async throws -> RedisFixture {
        let types = try #require(AdoptedTypes("chat.message"))
        return try await RedisFixture.start(shape) { $0.channels.adoptedTypes = types }
    }

    /// What the foreign events ask for.
    private static func sends(_ signals: [BusSignal]) -> [ForeignSend] {
        signals.compactMap { signal in
            guard case .foreign(let event, _) = signal, case .send(let send)? = event.adoption else { return nil }
            return send
        }
    }

    @Test("every node hears the same of the core layer, and equal events differ by their time", arguments: Shape.core)
    func core(_ shape: Shape) async throws {
        let fixture = try await Self.adopting(shape)
        let django = try await DjangoQueues.start(fixture.settings)
        try await fixture.whileRunning(storing: true) {
            let nodes = [try await fixture.makeNode(), try await fixture.makeNode()]
            for node in nodes { try await node.bus.subscribe(to: [.thread(thread)]) }
            try await django.waitForMembers(2, of: "room")
            for text in ["ok", "ok", "no"] { try await django.groupSend(Self.message(text), to: "room") }
            var heard: [[ForeignSend]] = []
            for node in nodes { heard.append(Self.sends(try await node.received.wait(count: 3))) }
            try #require(heard[0] == heard[1], "what the nodes hear")
            try #require(heard[0].map(\.text) == ["ok", "ok", "no"])
            let names = RedisAdoptedNames(hosts: fixture.node.hosts)
            var ids: Set<String> = []
            for send in heard[0] { ids.insert(try await names.clientID(of: send, in: thread, rememberedFor: 1)) }
            try #require(ids.count == 3, "names")
        }
        await django.stop()
    }

    @Test("on pub/sub, nodes agree when they have first heard an event", arguments: [1, 3])
    func firstHeard(hosts: Int) async throws {
        let fixture = try await Self.adopting(Shape(hosts: hosts))
        try await fixture.whileRunning(storing: true) {
            let node = try await fixture.makeNode()
            try await node.bus.subscribe(to: [.thread(thread)])
            for text in ["ok", "no"] {
                try await fixture.publish(try MessagePackWriter.encode(Self.message(text)), on: "asgi__group__room")
            }
            let heard = Self.sends(try await node.received.wait(count: 2))
            try #require(heard.map(\.sentMicroseconds) == [nil, nil], "the layer does not say it")
            // The clocks of nodes differ.
            let names = [Int64(0), 7].map { ahead in
                let clock = WallClock { WallClock.system.milliseconds + ahead }
                return RedisAdoptedNames(hosts: fixture.node.hosts, clock: clock)
            }
            let first = try await names[0].clientID(of: heard[0], in: thread, rememberedFor: 400)
            for name in names {
                let again = try await name.clientID(of: heard[0], in: thread, rememberedFor: 400)
                try #require(again == first, "for every node, and again")
            }
            let other = try await names[0].clientID(of: heard[1], in: thread, rememberedFor: 400)
            try #require(other != first, "another event")
            let isForgotten = try await eventually {
                try await names[0].clientID(of: heard[0], in: thread, rememberedFor: 400) != first
            }
            try #require(isForgotten, "an equal event later is another one")
        }
    }

    @Test("what Django knows reaches nodes and not its consumers", arguments: Shape.plain + Shape.many + Shape.core)
    func known(_ shape: Shape) async throws {
        let fixture = try await Self.adopting(shape)
        let django = try await DjangoQueues.start(fixture.settings)
        try await fixture.whileRunning(storing: true) {
            let node = try await fixture.makeNode()
            try await node.bus.subscribe(to: [.thread(thread)])
            let host = fixture.node.hosts.layout.host(of: thread)
            let group = "\(shape.prefix)__group__room"
            let consumer = try await RawSubscriber.start(fixture.servers[host].port, channels: [group])
            if shape.isCore { try await django.join("room") }
            for number in 1...6 {
                var draft = Samples.send("\(number)", in: thread)
                draft.isKnownToDjango = number % 3 != 0
                _ = try await node.log.append(draft)
            }
            let signals = try await node.received.wait(count: 6)
            try #require(signals.compactMap(\.event?.message?.text) == (1...6).map(String.init), "what nodes get")
            if shape.isCore {
                try #require(try await django.receive(2).map(\.text) == ["3", "6"], "what the queue gets")
                let isDone = try await eventually {
                    try await fixture.node.redis("EXISTS", "parley:django:due", host: host).number == 0
                }
                try #require(isDone, "the turn is over")
                try #require(try await django.receive().isEmpty)
            } else {
                let codec = ChannelsCodec(fixture.settings.channels)
                let texts = try await consumer.payloads.wait(count: 2).map {
                    try codec.decodeEvent($0)["message"]?["text"]?.text
                }
                try #require(texts == ["3", "6"], "what a consumer gets")
            }
            try await consumer.stop()
        }
        await django.stop()
    }
}
