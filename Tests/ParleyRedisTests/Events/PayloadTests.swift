import ParleyModel
import ParleyRedis
import ParleyTestSupport
import Testing

@Suite("Events in the shape that Django's consumers understand")
struct PayloadTests {
    private static let thread = Samples.thread("t.1")
    static let events: [LogEvent] = [
        Samples.event("hi", in: thread, seq: 1),
        Samples.event("Zoë 😀 \u{0}\"", in: thread, seq: 1 << 40, clientID: "c"),
        LogEvent(
            thread: thread, position: Position(epoch: Epoch("abcdefgh"), seq: 3), milliseconds: 5, messageCount: 2,
            body: .message(Samples.message("direct", to: Samples.user("bob"))), origin: ConnectionID(trusted: "c.1")),
        LogEvent(
            thread: thread, position: Position(epoch: Epoch("abcdefgh"), seq: 4), milliseconds: 6, messageCount: 2,
            body: .joined(User(id: UserID(trusted: "zoe"), name: "Zoë")), origin: ConnectionID(trusted: "c.2")),
    ]

    private func codec(_ serializer: ChannelsSettings.Serializer) -> ChannelsCodec {
        var settings = ChannelsSettings()
        settings.serializer = serializer
        return ChannelsCodec(settings)
    }

    @Test("an event is read as it was written", arguments: events, ChannelsSettings.Serializer.allCases)
    func roundTrip(_ event: LogEvent, _ serializer: ChannelsSettings.Serializer) throws {
        let value = try codec(serializer).decodeEvent(EventPayload.bytes(of: event, serializer))
        #expect(EventPayload.event(value) == event)
        // What the generic writer makes of it is the same: it is one value, well formed.
        #expect(try codec(serializer).encode(value, seconds: 0) == EventPayload.bytes(of: event, serializer))
    }

    @Test("a consumer finds the fields of a message")
    func fields() throws {
        let value = try codec(.msgpack).decodeEvent(EventPayload.bytes(of: Self.events[2], .msgpack))
        #expect(value["type"] == .text("chat.message"))
        let message = try #require(value["message"])
        let expected: [String: ChannelsValue] = [
            "text": .text("direct"), "sender_id": .text("ann"), "sender_name": .text("ann"), "thread_id": .text("t.1"),
            "seq": .int(3), "epoch": .text("abcdefgh"), "date_ms": .int(5), "date": .int(0),
        ]
        for (name, content) in expected { #expect(message[name] == content, "\(name)") }
    }

    @Test("only messages have the type that Django listens for")
    func types() throws {
        let types = try Self.events.map {
            try codec(.msgpack).decodeEvent(EventPayload.bytes(of: $0, .msgpack))["type"]?.text
        }
        #expect(types == ["chat.message", "chat.message", "chat.message", "parley.event"])
    }

    @Test(
        "what Django sends is no event of ours",
        arguments: [
            ChannelsValue.object(["type": .text("chat.message"), "message": .text("hello")]),
            .object(["type": .text("chat.message"), "message": .object(["id": .int(42)])]),
            .object(["type": .text("chat.message")]), .object(["type": .text("parley.event"), "event": .null]), .null,
        ])
    func foreign(_ value: ChannelsValue) {
        #expect(EventPayload.event(value) == nil)
        #expect(SignalPayload.notice(value) == nil)
        #expect(SignalPayload.control(value) == nil)
    }
}
