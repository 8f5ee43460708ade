import NIOCore
import ParleyModel
import ParleyWire
import Testing

@Suite struct ClassicCodecTests {
    private func decode(_ json: String) throws(CommandError) -> ClientCommand {
        try ClassicCodec.decode(ByteBuffer(string: json))
    }

    private static let send = ClientCommand.send(thread: ThreadID(trusted: "t1"), text: "hi")

    @Test(
        "frames are read with unknown fields and in any order",
        arguments: [
            (#"{"message":{"id":"t1","text":"hi"}}"#, send),
            (#" { "message" : { "text" : "hi" , "id" : "t1" } } "#, send),
            (#"{"x":[{"message":1}],"message":{"y":null,"id":"t1","z":{"id":"no"},"text":"hi"},"w":1e999}"#, send),
            (#"{"\u006dessage":{"\u0069d":"\u00741","text":"\u0068i"}}"#, send),
            (#"{"message":{"id":"t1","text":""}}"#, .send(thread: ThreadID(trusted: "t1"), text: "")),
            (#"{"message":{"id":"t1","text":"\u0000"}}"#, .send(thread: ThreadID(trusted: "t1"), text: "\0")),
            (#"{"read":"A.b_c-9"}"#, .read(ThreadID(trusted: "A.b_c-9"))),
            (#"{"more":1,"read":"t1"}"#, .read(ThreadID(trusted: "t1"))),
        ])
    func reads(json: String, command: ClientCommand) throws {
        #expect(try decode(json) == command)
    }

    @Test(
        "invalid commands give an explanation",
        arguments: [
            (#"{"typing":{}}"#, CommandError.unknownCommand("typing")),
            (#"{"b":1,"a":2}"#, .unknownCommand("b")),
            (#"{"message":{"text":"hi"}}"#, .missing("id")),
            (#"{"message":{"id":"t1"}}"#, .missing("text")),
            (#"{"message":{"id":"","text":"hi"}}"#, .badThread),
            (#"{"message":{"id":"a b","text":"hi"}}"#, .badThread),
            (#"{"read":"é"}"#, .badThread),
            (#"{"message":{"id":"t1","text":"\ud83d"}}"#, .badText),
        ])
    func refuses(json: String, violation: CommandError) {
        #expect(throws: violation) { _ = try decode(json) }
    }

    @Test(
        "malformed frames are rejected",
        arguments: [
            "", "{}", "[]", "null", "\"read\"", "{", #"{"read":"t1"}x"#, #"{"read":"t1"}{"read":"t1"}"#,
            #"{"read":"t1","read":"t1"}"#, #"{"message":{"id":"t1","text":"hi"},"message":{"id":"t1","text":"hi"}}"#,
            #"{"message":{"id":"t1","text":"hi"},"read":"t1"}"#, #"{"message":{"id":"t1","id":"t1","text":"hi"}}"#,
            #"{"message":{"id":"t1","text":"hi","text":"hi"}}"#, #"{"message":"hi"}"#, #"{"message":null}"#,
            #"{"message":{"id":7,"text":"hi"}}"#, #"{"message":{"id":"t1","text":5}}"#, #"{"read":null}"#,
            #"{"read":{"id":"t1"}}"#, #"{"read":"t1",}"#,
        ])
    func refusesMalformed(json: String) {
        do throws(CommandError) {
            _ = try decode(json)
            Issue.record("was read: \(json)")
        } catch {
            guard case .malformed(let reason) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(!reason.isEmpty)
        }
    }

    @Test("bytes that are not UTF-8 are bad text")
    func refusesBadUTF8() {
        let bytes = Array(#"{"message":{"id":"t1","text":""#.utf8) + [0xFF] + Array("\"}}".utf8)
        #expect(throws: CommandError.badText) { _ = try ClassicCodec.decode(ByteBuffer(bytes: bytes)) }
    }

    @Test("the name of an unknown command is truncated in the error")
    func cutsNames() {
        let name = String(repeating: "é", count: 5000)
        #expect(throws: CommandError.unknownCommand(String(name.prefix(40)))) { _ = try decode("{\"\(name)\":1}") }
    }

    @Test("a message has the form of the tutorial, followed by additional fields")
    func writesMessages() {
        #expect(
            ClassicCodec.encode(Events.message("say \"hi\"\n"))?.text
                == #"{"id":"m1","date":1795255200,"text":"say \"hi\"\n","sender_id":"a1","sender_name":"alice","#
                + #""thread_id":"t1","seq":42,"epoch":"e7","date_ms":1795255200123,"type":"message"}"#)
        #expect(
            ClassicCodec.encode(Events.message("", clientID: "c\"1"))?.text.hasSuffix(
                #","client_id":"c\"1","type":"message"}"#) == true)
        #expect(ClassicCodec.encode(Events.joined(Events.bob)) == nil)
    }
}
