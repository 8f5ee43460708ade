import ParleyChannels
import ParleyModel
import ParleyTestContracts
import Testing

@Suite("Events in the format that Django's consumers expect")
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
        LogEvent(
            thread: thread, position: Position(epoch: Epoch("abcdefgh"), seq: 5), milliseconds: 7, messageCount: 3,
            body: .message(Samples.message("direct", to: Samples.user("bob"))), wantsStored: true),
    ]
    /// One event of every kind.
    static let kinds = Samples.bodies().enumerated().map { index, body in
        LogEvent(
            thread: thread, position: Position(epoch: Epoch("abcdefgh"), seq: Int64(index) + 10), milliseconds: 1 << 41,
            messageCount: 1, body: body, origin: index.isMultiple(of: 2) ? ConnectionID(trusted: "c.1") : nil,
            wantsStored: index.isMultiple(of: 3), outboxID: index.isMultiple(of: 4) ? 1 << 40 : nil)
    }

    private func codec(_ serializer: ChannelsSettings.Serializer) -> ChannelsCodec {
        var settings = ChannelsSettings()
        settings.serializer = serializer
        return ChannelsCodec(settings)
    }

    @Test("an event is read back as written", arguments: events + kinds, ChannelsSettings.Serializer.allCases)
    func roundTrip(_ event: LogEvent, _ serializer: ChannelsSettings.Serializer) throws {
        let value = try codec(serializer).decodeEvent(EventPayload.bytes(of: event, serializer))
        #expect(try EventPayload.event(value) == event)
        // The generic encoder produces the same bytes: the payload is one well-formed value.
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

    @Test(
        "a display name has a field of its own, and costs nothing without one",
        arguments: ChannelsSettings.Serializer.allCases)
    func displayName(_ serializer: ChannelsSettings.Serializer) throws {
        func event(_ name: String?) -> LogEvent {
            LogEvent(
                thread: Self.thread, position: Position(epoch: Epoch("abcdefgh"), seq: 3), milliseconds: 5,
                messageCount: 2,
                body: .message(
                    Message(
                        id: MessageID(trusted: "m"), sender: Samples.user("ann"), text: "hi", senderDisplayName: name)))
        }
        for name in ["Zoë 😀", nil] {
            let bytes = EventPayload.bytes(of: event(name), serializer)
            let value = try codec(serializer).decodeEvent(bytes)
            #expect(value["message"]?["sender_name"] == .text("ann"))
            #expect(value["message"]?["sender_display_name"]?.text == name)
            #expect(try EventPayload.event(value) == event(name))
            #expect(bytes.contains(Array("display".utf8)) == (name != nil))
        }
    }

    @Test("only messages have the type that Django listens for")
    func types() throws {
        let types = try Self.events.map {
            try codec(.msgpack).decodeEvent(EventPayload.bytes(of: $0, .msgpack))["type"]?.text
        }
        #expect(types == ["chat.message", "chat.message", "chat.message", "parley.event", "chat.message"])
        let others = try Self.kinds.dropFirst().map {
            try codec(.json).decodeEvent(EventPayload.bytes(of: $0, .json))["type"]?.text
        }
        #expect(Set(others) == ["parley.event"])
    }

    @Test("a draft completed with its position is the event", arguments: events + kinds)
    func beginning(_ event: LogEvent) {
        let draft = EventDraft(
            thread: event.thread, body: event.body, origin: event.origin, wantsStored: event.wantsStored,
            outboxID: event.outboxID)
        let place =
            "\"epoch\": \"\(event.position.epoch)\", \"seq\": \(event.position.seq), "
            + "\"date_ms\": \(event.milliseconds), \"date\": \(event.milliseconds / 1000)}, "
            + "\"n\": \(event.messageCount)}"
        let filled = EventPayload.beginning(of: draft, .json) + Array(place.utf8)
        #expect(filled == EventPayload.bytes(of: event, .json))
    }

    @Test("a consumer finds parts as clients receive them", arguments: ChannelsSettings.Serializer.allCases)
    func parts(_ serializer: ChannelsSettings.Serializer) throws {
        let value = try codec(serializer).decodeEvent(EventPayload.bytes(of: Self.kinds[0], serializer))
        guard case .array(let parts) = value["message"]?["parts"] else {
            Issue.record("no parts")
            return
        }
        #expect(parts.map { $0["type"]?.text } == Samples.parts.map(\.type))
        #expect(parts[0]["content"] == .text("Zoë 😀"))
        #expect(parts[2]["duration_ms"] == .int(1))
        #expect(parts[3]["content"]?["type"] == .text("Point"))
        #expect(value["message"]?["reply_to"] == .int(1 << 40))
        #expect(value["parley"]?["stored"] == .bool(true))
    }

    @Test(
        "an event that lacks a field is refused",
        arguments: [
            ("type", ChannelsValue.text("unheard of")), ("message_id", .null), ("message_seq", .text("1")),
            ("by_id", .text("no id!")), ("text", .int(1)), ("user_id", .null), ("emoji", .null), ("on", .int(1)),
            ("title", .null), ("role", .text("king")), ("user_name", .null),
        ])
    func lacking(_ name: String, _ wrong: ChannelsValue) throws {
        var met = 0
        for event in Self.kinds.dropFirst() {
            let value = try codec(.msgpack).decodeEvent(EventPayload.bytes(of: event, .msgpack))
            guard let content = value["event"], content[name] != nil, case .map(let fields) = content else { continue }
            // `by_id` is optional here: without it, the user has joined by themselves.
            if case .joined = event.body, name == "by_id" { continue }
            met += 1
            let broken = fields.map { $0.key == .text(name) ? ChannelsValue.Entry($0.key, wrong) : $0 }
            let payload = ChannelsValue.object([
                "type": .text("parley.event"), "event": .map(broken), "parley": value["parley"] ?? .null,
            ])
            #expect(try EventPayload.event(payload) == nil, "\(event.body)")
        }
        #expect(met > 0)
    }

    @Test(
        "Django's events are not read as log events",
        arguments: [
            ChannelsValue.object(["type": .text("chat.message"), "message": .text("hello")]),
            .object(["type": .text("chat.message"), "message": .object(["id": .int(42)])]),
            .object(["type": .text("chat.message")]), .object(["type": .text("parley.event"), "event": .null]), .null,
        ])
    func foreign(_ value: ChannelsValue) throws {
        #expect(try EventPayload.event(value) == nil)
        #expect(SignalPayload.ephemeral(value) == nil)
        #expect(SignalPayload.control(value) == nil)
    }

    @Test(
        "a mute goes with the membership",
        arguments: [nil, Sanction(.mute), Sanction(.mute, until: 1 << 41), Sanction(.mute, until: 5, reason: "spam")])
    func mute(_ mute: Sanction?) throws {
        let thread = ThreadInfo(id: Samples.thread("t"), kind: .room, title: "tea", visibility: .public)
        let event = ControlEvent.added(Membership(thread: thread, role: .member, mute: mute), after: 7)
        let value = SignalPayload.value(of: event)
        #expect(SignalPayload.control(value) == event)
        // A mute that is not readable is none, and the change feed repeats it.
        guard mute != nil, case .map(let fields) = value else { return }
        for broken in [ChannelsValue.text("x"), .object(["until": .int(.max)]), .object(["until": .int(.min)])] {
            let changed = fields.map { $0.key == .text("mute") ? ChannelsValue.Entry($0.key, broken) : $0 }
            let unmuted = ControlEvent.added(Membership(thread: thread, role: .member), after: 7)
            #expect(SignalPayload.control(.map(changed)) == unmuted)
        }
    }

    @Test(
        "an added membership has its start, and one that is not readable shows nothing",
        arguments: [
            nil, .stored(7), .joining(entry: 9), .joined(Position(epoch: Epoch("e"), seq: 7), entry: 9),
        ] as [HistoryStart?])
    func start(_ start: HistoryStart?) throws {
        let thread = ThreadInfo(id: Samples.thread("t"), kind: .room, title: "tea", visibility: .public)
        let event = ControlEvent.added(Membership(thread: thread, role: .member, start: start), after: 7)
        let value = SignalPayload.value(of: event)
        #expect(SignalPayload.control(value) == event)
        guard start != nil, case .map(let fields) = value else { return }
        for broken in [ChannelsValue.text("x"), .object(["seq": .int(-1)]), .object([:])] {
            let changed = fields.map { $0.key == .text("start") ? ChannelsValue.Entry($0.key, broken) : $0 }
            let hidden = Membership(thread: thread, role: .member, start: .joining(entry: 0))
            #expect(SignalPayload.control(.map(changed)) == .added(hidden, after: 7))
        }
    }

    @Test("a removal has a position or none")
    func removalWithoutPlace() {
        let thread = Samples.thread("t")
        let value = ChannelsValue.object(["type": .text("parley.removed"), "thread_id": .text("t")])
        #expect(SignalPayload.control(value) == .removed(thread))
        let event = ControlEvent.removed(thread, left: Position(epoch: Epoch("e"), seq: 7))
        #expect(SignalPayload.control(SignalPayload.value(of: event)) == event)
    }
}
