import ParleyModel
import ParleyRedis
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
}
