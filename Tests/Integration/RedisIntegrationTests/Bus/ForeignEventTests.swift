import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("Django's messages reach the subscribers of their thread", .timeLimit(.minutes(5)))
struct ForeignEventTests {
    @Test("a message reaches the subscribers of its thread, and poison reaches nobody")
    func onTheBus() async throws {
        let fixture = try await RedisFixture.start()
        let poison = try DjangoPoison().payloads
        try await fixture.whileRunning(storing: true) {
            let node = try await fixture.makeNode()
            let thread = Samples.thread("django")
            try await node.bus.subscribe(to: [.thread(thread)])
            for payload in poison { try await fixture.publish(payload, on: "asgi__group__django") }
            let large = ChannelsValue.object(["type": .text("t"), "s": .bytes([UInt8](repeating: 0, count: 2 << 20))])
            try await fixture.publish(try MessagePackWriter.encode(large), on: "asgi__group__django")
            // None of Parley's own values is delivered as an event of Django.
            node.bus.publish(.guestJoined("Zoë"), in: thread)
            let stored = SignalPayload.value(of: EphemeralEvent.guestJoined("Zoë"))
            try await fixture.publish(try MessagePackWriter.encode(stored), on: "asgi__group__django")
            let event = ChannelsValue.object(["type": .text("chat.message"), "message": .object(["a": .int(1)])])
            try await fixture.publish(try MessagePackWriter.encode(event), on: "asgi__group__django")
            _ = try await node.log.append(Samples.send("hi", in: thread))
            let signals = try await node.received.wait("our event") { $0.contains { $0.event != nil } }
            let foreign = signals.compactMap { signal -> String? in
                guard case .foreign(let event, thread) = signal else { return nil }
                return String(decoding: event.json, as: UTF8.self)
            }
            try #require(foreign == [#"{"type":"message","a":1}"#], "what is shown of Django")
            try #require(signals.filter { if case .ephemeral = $0 { true } else { false } }.count == 1, "notices")
        }
    }

    @Test("an announcement of what the log has not does not raise the numbering", arguments: [1 << 53, 200_000])
    func foreignPositions(seq: Int64) async throws {
        let fixture = try await RedisFixture.start()
        try await fixture.whileRunning(storing: true) {
            let node = try await fixture.makeNode()
            let thread = Samples.thread("django")
            try await node.bus.subscribe(to: [.thread(thread)])
            let first = try await node.log.append(Samples.send("one", in: thread))
            let codec = EventCodec(fixture.settings.channels)
            for epoch in [first.position.epoch.text, "12345678"] {
                let event = Samples.event("forged", in: thread, seq: seq, epoch: epoch)
                try await fixture.publish(try codec.bytes(of: event, seconds: 0), on: "asgi__group__django")
            }
            _ = try await node.received.wait("the announcements") {
                $0.count { $0.event?.message?.text == "forged" } == 2
            }
            // A node whose lane knows the epoch, and one that relies on what it has seen.
            for number: Int64 in 2...3 {
                let next = try await node.log.append(Samples.send("\(number)", in: thread))
                #expect(next.position == Position(epoch: first.position.epoch, seq: number))
            }
            let other = try await fixture.makeNode()
            try await other.bus.subscribe(to: [.thread(thread)])
            let event = Samples.event("forged", in: thread, seq: seq, epoch: first.position.epoch.text)
            try await fixture.publish(try codec.bytes(of: event, seconds: 0), on: "asgi__group__django")
            _ = try await other.received.wait("the announcement") { !$0.isEmpty }
            let last = try await other.log.append(Samples.send("4", in: thread))
            #expect(last.position == Position(epoch: first.position.epoch, seq: 4))
        }
    }
}
