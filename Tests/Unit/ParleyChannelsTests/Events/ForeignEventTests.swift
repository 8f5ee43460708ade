import ParleyChannels
import ParleyModel
import ParleyTestSupport
import Testing

@Suite("Django's messages in a thread's group reach the sockets as JSON")
struct ForeignEventTests {
    static let shown: [(ChannelsValue, String)] = [
        (.object(["text": .text("hi"), "id": .int(42)]), #"{"type":"message","text":"hi","id":42}"#),
        (.object([:]), #"{"type":"message"}"#),
        (
            .object(["seq": .int(7), "type": .text("hello"), "epoch": .text("e"), "thread_id": .text("t")]),
            #"{"type":"message","epoch":"e","thread_id":"t"}"#
        ),
        (
            .object([
                "bin": .bytes([0, 255, 16]), "ext": .ext(5, [1]), "nan": .double(.nan),
                "inf": .array([.double(.infinity), .double(-.infinity)]), "f": .double(0.5), "e": .double(1e300),
            ]),
            #"{"type":"message","bin":"AP8Q","ext":null,"nan":null,"inf":[null,null],"f":0.5,"e":1e+300}"#
        ),
        (
            .object([
                "a": .int(9_007_199_254_740_993), "b": .uint(.max), "c": .int(.min),
                "d": .digits("123456789012345678901234567890"),
            ]),
            #"{"type":"message","a":9007199254740993,"b":18446744073709551615,"c":-9223372036854775808,"#
                + #""d":123456789012345678901234567890}"#
        ),
        (
            .object(["s": .text("\u{0}\u{1F}\"\\/\n😀\u{2028}é")]),
            "{\"type\":\"message\",\"s\":\"\\u0000\\u001f\\\"\\\\/\\n😀\u{2028}é\"}"
        ),
        (
            .map([
                .init(.bytes([255]), .int(1)), .init(.text("k"), .int(1)), .init(.text("k"), .int(2)),
                .init(.text("e\u{301}"), .int(3)), .init(.text("é"), .int(4)),
            ]),
            "{\"type\":\"message\",\"/w==\":1,\"k\":2,\"e\u{301}\":3,\"é\":4}"
        ),
    ]

    /// Valid events that are not messages.
    static let others: [ChannelsValue] = [
        .object(["type": .text("chat.message"), "message": .text("hi")]), .object(["type": .text("chat.message")]),
        .object(["type": .text("user.typing"), "message": .object([:])]),
        .object(["type": .text("Chat.Message"), "message": .object([:])]),
        .object(["type": .text("websocket.disconnect"), "code": .int(1000)]), .null,
    ]

    private static func event(_ message: ChannelsValue, type: String = "chat.message") -> ChannelsValue {
        .object(["type": .text(type), "message": message])
    }

    @Test("a message is delivered as its map, for both spellings of its type", arguments: shown.indices)
    func json(_ index: Int) throws {
        let (message, text) = Self.shown[index]
        for type in ["chat.message", "chat_message"] {
            let shown = try ForeignPayload.event(Self.event(message, type: type))
            #expect(String(decoding: shown.json, as: UTF8.self) == text)
        }
    }

    @Test("other events are not delivered", arguments: others)
    func other(_ value: ChannelsValue) {
        #expect(throws: ChannelsCodecError.notForClients) { try ForeignPayload.event(value) }
    }

    @Test("the size of an event is bounded")
    func bound() throws {
        // {"type":"message","s":""} has 25 bytes.
        func event(_ count: Int) -> ChannelsValue {
            Self.event(.object(["s": .text(String(repeating: "x", count: count))]))
        }
        #expect(try ForeignPayload.event(event(ForeignPayload.maximumBytes - 25)).json.count == 65_536)
        #expect(throws: ChannelsCodecError.tooLarge) {
            try ForeignPayload.event(event(ForeignPayload.maximumBytes - 24))
        }
    }
}
