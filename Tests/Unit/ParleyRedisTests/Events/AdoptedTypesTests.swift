import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyTestContracts
import Testing

@Suite("Events of adopted types ask for a place in the log")
struct AdoptedTypesTests {
    private static let full: [ChannelsValue.Entry] = [
        .init(.text("text"), .text("hi")), .init(.text("sender_id"), .text("ann")),
        .init(.text("sender_name"), .text("Ann")), .init(.text("client_id"), .text("c-1")),
        .init(.text("reply_to"), .int(7)),
        .init(
            .text("parts"),
            .array([.object(["type": .text("text/plain"), "content": .text("more")])])),
    ]

    /// The request of an event with this message; fields replace those of a full one, `nil` removes them.
    private static func request(
        _ changes: KeyValuePairs<String, ChannelsValue?> = [:], type: String = "chat.message",
        adopting list: String = "chat.message", sent: Int64? = nil
    ) throws -> AdoptionRequest? {
        var fields = full
        for (name, value) in changes {
            fields.removeAll { $0.key == .text(name) }
            if let value { fields.append(.init(.text(name), value)) }
        }
        let event = ChannelsValue.object(["type": .text(type), "message": .map(fields)])
        return try ForeignPayload.event(event, adopting: try #require(AdoptedTypes(list)), sent: sent).adoption
    }

    private static func send(_ request: AdoptionRequest?) throws -> ForeignSend {
        guard case .send(let send)? = request else { throw AdoptionFailure.invalid }
        return send
    }

    @Test("lists of types that a consumer can have a handler for are accepted")
    func lists() {
        for list in ["chat.message", "chat.message, order_note", "a"] { #expect(AdoptedTypes(list) != nil, "\(list)") }
        for list in ["", "a,", "_a", ".a", "parley.event", "a-b", "a b!", "é"] {
            #expect(AdoptedTypes(list) == nil, "\(list)")
        }
    }

    @Test("nothing asks for anything unless its type is adopted, in either spelling")
    func types() throws {
        #expect(try Self.request(adopting: "order.note") == nil)
        let event = ChannelsValue.object(["type": .text("chat.message"), "message": .map(Self.full)])
        #expect(try ForeignPayload.event(event, adopting: AdoptedTypes()).adoption == nil)
        #expect(try Self.send(Self.request(type: "chat_message")).isKnownToDjango)
        #expect(try Self.send(Self.request(adopting: "chat_message")).isKnownToDjango)
        let other = try Self.request(type: "order.note", adopting: "chat.message,order_note")
        #expect(try !Self.send(other).isKnownToDjango, "consumers have not shown it as a message")
    }

    @Test("a message is read with all its fields, and its JSON is kept for the case that it is not adopted")
    func fields() throws {
        let send = try Self.send(Self.request(sent: 5))
        #expect(send.sender == .id(UserID(trusted: "ann")))
        #expect(send.text == "hi")
        #expect(send.parts == [.text("more")])
        #expect(send.replyTo == 7)
        #expect(send.clientID == "c-1")
        #expect(send.sentMicroseconds == 5)
        #expect(send.digest.count == 32)
        let types = try #require(AdoptedTypes("chat.message,other"))
        let shown = try ForeignPayload.event(
            .object(["type": .text("chat.message"), "message": .object(["text": .text("x")])]), adopting: types)
        let json = Array(#"{"type":"message","text":"x"}"#.utf8)
        #expect(shown == ForeignEvent(json: json, adoption: .refused(.unknownSender)))
        let hidden = try ForeignPayload.event(
            .object(["type": .text("other"), "message": .text("x")]), adopting: types)
        #expect(hidden == ForeignEvent(json: [], adoption: .refused(.invalid)))
    }

    @Test("a sender is an id, a primary key or a name")
    func senders() throws {
        #expect(try Self.send(Self.request(["sender_id": .int(42)])).sender == .id(UserID(trusted: "42")))
        #expect(try Self.send(Self.request(["sender_id": nil])).sender == .name("Ann"))
        #expect(try Self.send(Self.request(["sender_id": .null])).sender == .name("Ann"))
        #expect(try Self.request(["sender_id": .text("a b")]) == .refused(.unknownSender))
        #expect(try Self.request(["sender_id": nil, "sender_name": nil]) == .refused(.unknownSender))
    }

    @Test("what cannot become a message is refused")
    func refused() throws {
        let bad: [(String, ChannelsValue?)] = [
            ("text", .int(1)), ("client_id", .text("")), ("client_id", .text(String(repeating: "x", count: 65))),
            ("client_id", .int(1)), ("reply_to", .int(0)), ("reply_to", .text("1")), ("parts", .text("x")),
            ("parts", .array([.object(["type": .text("text/plain")])])),
            ("parts", .array([.object(["attachment": .text("0190f3")])])),
        ]
        for (name, value) in bad { #expect(try Self.request([name: value]) == .refused(.invalid), "\(name)") }
        #expect(try Self.request(["parts": nil, "text": nil]) == .refused(.invalid))
        #expect(try Self.send(Self.request(["text": nil])).text == "", "there are parts")
        #expect(try Self.request(["epoch": .text("e"), "seq": .int(1)]) == .refused(.logged), "it was forwarded")
        #expect(try Self.send(Self.request(["seq": .int(1)])).text == "hi", "a number of Django's own")
    }

    @Test("a name is the same on every node, and another one for another event, thread or time")
    func names() throws {
        let (send, again) = (try Self.send(Self.request()), try Self.send(Self.request()))
        let other = try Self.send(Self.request(["id": .int(1)]))
        let (one, two) = (Samples.thread("one"), Samples.thread("two"))
        let time: Int64 = 1_790_000_000_123_456
        let name = RedisAdoptedNames.clientID(of: send, in: one, microseconds: time)
        #expect(name == RedisAdoptedNames.clientID(of: again, in: one, microseconds: time))
        let others = [
            RedisAdoptedNames.clientID(of: other, in: one, microseconds: time),
            RedisAdoptedNames.clientID(of: send, in: two, microseconds: time),
            RedisAdoptedNames.clientID(of: send, in: one, microseconds: time + 1),
        ]
        #expect(Set(others + [name]).count == 4)
        #expect(ClientIDTime.milliseconds(of: name) == time / 1000, "it proves that it is new")
    }

    @Test("a message that Django knows says so to nodes", arguments: ChannelsSettings.Serializer.allCases)
    func payload(_ serializer: ChannelsSettings.Serializer) throws {
        var settings = ChannelsSettings()
        settings.serializer = serializer
        var event = Samples.event("hi", in: Samples.thread("one"), seq: 1)
        event.isKnownToDjango = true
        let value = try ChannelsCodec(settings).decodeEvent(EventPayload.bytes(of: event, serializer))
        #expect(try EventPayload.event(value) == event)
        #expect(value["parley"]?["adopted"] == .bool(true))
    }
}
