import NIOCore
import ParleyWire
import Testing

@Suite struct DirectCodecTests {
    private func decode(_ json: String) throws(CommandError) -> ClientCommand {
        try DirectCodec.decode(ByteBuffer(string: json))
    }

    @Test(
        "frames are read with unknown fields",
        arguments: [
            (#"{"toUser":"bob","message":"hi"}"#, "bob", "hi"),
            (#"{"toUser":921894,"message":"hi"}"#, "id:921894", "hi"),
            (#"{"id":-1,"fromUser":"x","message":"a:b","toUser":"","time":"now","read":false}"#, "", "a:b"),
        ])
    func reads(json: String, user: String, text: String) throws {
        #expect(try decode(json) == .sendDirect(toUser: user, text: text))
    }

    @Test(
        "invalid commands give an explanation",
        arguments: [
            (#"{"message":"hi"}"#, CommandError.missing("toUser")), (#"{"toUser":"bob"}"#, .missing("message")),
            ("{}", .missing("toUser")), (#"{"toUser":"bob","message":"\udc00"}"#, .badText),
            (#"{"toUser":"bob","toUser":"eve","message":"hi"}"#, .malformed(#""toUser" stands there twice"#)),
            (#"{"toUser":["bob"],"message":"hi"}"#, .malformed("a string is expected")),
        ])
    func refuses(json: String, violation: CommandError) {
        #expect(throws: violation) { _ = try decode(json) }
    }

    @Test("a message has the form of the article")
    func writesMessages() {
        #expect(
            DirectCodec.encode(Events.message("hi\u{7}", recipient: Events.bob))?.text
                == #"{"id":-1,"fromUser":"alice","toUser":"bob","message":"hi\u0007","time":"2026-11-21T10:00:00Z","#
                + #""read":false}"#)
        #expect(DirectCodec.encode(Events.message("hi")) == nil)
        #expect(DirectCodec.encode(Events.joined(Events.bob)) == nil)
        #expect(DirectCodec.unknownUser("no\"body").text == #"{"error":"unknown user","toUser":"no\"body"}"#)
    }
}
