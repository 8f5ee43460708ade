import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("An encrypted channel layer", .timeLimit(.minutes(5)))
struct EncryptionTests {
    private static let keys = ["first", "second"]

    @Test(
        "a consumer gets a token of the whole event; nodes get each event once and in order",
        arguments: ChannelsSettings.Serializer.allCases)
    func tokens(_ serializer: ChannelsSettings.Serializer) async throws {
        let fixture = try await RedisFixture.start(Shape(serializer: serializer, keys: Self.keys))
        let consumer = try await RawSubscriber.start(fixture.servers[0].port, channels: ["asgi__group__room"])
        let eavesdropper = try await RawSubscriber.start(
            fixture.servers[0].port, channels: ["asgi__group__room.events"])
        try await fixture.whileRunning(storing: true) {
            let node = try await fixture.makeNode()
            let thread = Samples.thread("room")
            try await node.bus.subscribe(to: [.thread(thread)])
            for number in 1...20 {
                _ = try await node.log.append(Samples.send("secret \(number)", in: thread, clientID: "\(number)"))
            }
            let signals = try await node.received.wait(count: 20)
            try #require(signals.compactMap { $0.event?.position.seq } == Array(1...20), "seqs")
            let codec = ChannelsCodec(fixture.settings.channels)
            let payloads = try await consumer.payloads.wait(count: 20)
            for (index, payload) in payloads.enumerated() {
                try #require(payload.starts(with: "gAAAA".utf8), "a token")
                let value = try codec.decodeEvent(payload)
                try #require(try EventPayload.event(value) == signals[index].event, "the event in the token")
            }
            let ours = try await eavesdropper.payloads.wait(count: 20)
            for payload in payloads + ours {
                try #require(
                    !String(decoding: payload, as: UTF8.self).contains("secret"), "nothing of the text is readable")
            }
            // A later signal, which shows that nothing has arrived twice.
            node.bus.publish(.guestJoined("Zoë"), in: thread)
            let all = try await node.received.wait("the fence") { $0.contains(.ephemeral(.guestJoined("Zoë"), thread)) }
            try #require(all.count == 21, "signals")
        }
        try await consumer.stop()
        try await eavesdropper.stop()
    }

    @Test("Django's events are decrypted with any key, and unencrypted ones are poison")
    func foreign() async throws {
        let fixture = try await RedisFixture.start(Shape(keys: Self.keys))
        try await fixture.whileRunning(storing: true) {
            let node = try await fixture.makeNode()
            let thread = Samples.thread("room")
            try await node.bus.subscribe(to: [.thread(thread)])
            func event(_ number: Int64) -> ChannelsValue {
                .object(["type": .text("chat.message"), "message": .object(["n": .int(number)])])
            }
            for (number, keys) in [(1, Self.keys), (2, ["second"]), (3, ["third"]), (4, [])] as [(Int64, [String])] {
                var settings = ChannelsSettings()
                settings.symmetricEncryptionKeys = keys
                let payload = try ChannelsCodec(settings).encode(event(number), seconds: 1_700_000_000)
                try await fixture.publish(payload, on: "asgi__group__room")
            }
            try await fixture.publish(
                try ChannelsCodec(fixture.settings.channels).encode(event(5), seconds: 0), on: "asgi__group__room")
            let signals = try await node.received.wait("the last") {
                $0.contains(.foreign(ForeignEvent(json: Array(#"{"type":"message","n":5}"#.utf8)), thread))
            }
            try #require(signals.count == 3, "signals")
        }
    }
}
