import NIOCore
import ParleyModel
import ParleyWire
import Testing

@Suite struct LineCodecTests {
    @Test(
        "commands are read",
        arguments: [
            ("iam:bob", ClientCommand.introduce(name: "bob")), ("iam: é 👍 ", .introduce(name: " é 👍 ")),
            ("iam:" + String(repeating: "é", count: 30), .introduce(name: String(repeating: "é", count: 30))),
            ("msg:hi", .say(text: "hi")), ("msg:a:b::c", .say(text: "a:b::c")), ("msg:", .say(text: "")),
            ("msg:\u{301}x", .say(text: "\u{301}x")),
        ])
    func reads(line: String, command: ClientCommand) throws {
        #expect(try LineCodec.decode(ByteBuffer(string: line)) == command)
    }

    @Test(
        "an invalid command has its error line",
        arguments: [
            ("", "error:unknown command\n"), ("hello", "error:unknown command\n"),
            ("IAM:bob", "error:unknown command\n"),
            (" msg:hi", "error:unknown command\n"), (":msg:hi", "error:unknown command\n"),
            ("iam:", "error:bad name\n"),
            ("iam:a:b", "error:bad name\n"), ("iam:a\tb", "error:bad name\n"), ("iam:\u{85}", "error:bad name\n"),
            ("iam:\u{7F}", "error:bad name\n"), ("iam:a\r", "error:bad name\n"),
            ("iam:" + String(repeating: "e\u{301}", count: 16), "error:bad name\n"),
        ])
    func refuses(line: String, response: String) {
        do throws(CommandError) {
            _ = try LineCodec.decode(ByteBuffer(string: line))
            Issue.record("was read: \(line)")
        } catch {
            #expect(LineCodec.encode(LineError(error)).text == response)
        }
    }

    @Test("a line that is not UTF-8 is bad text", arguments: ["FF", "69616D3A80", "6D73673AC3"])
    func refusesBadUTF8(digits: String) {
        #expect(throws: CommandError.badText) { _ = try LineCodec.decode(ByteBuffer(bytes: hex(digits))) }
        #expect(LineCodec.encode(LineError(.badText)).text == "error:bad text\n")
    }

    @Test("a message is encoded as NAME:TEXT, and no text forges a line")
    func writesLines() {
        #expect(LineCodec.encode(Events.message("a:b"))?.text == "alice:a:b\n")
        #expect(LineCodec.encode(Events.message("a\nerror:b\r\nc\r"))?.text == "alice:a error:b  c \n")
        let escapes = "\u{1B}[2J\u{7}\u{0}\u{7F}\u{9B}31m\tb\u{A0}é"
        #expect(LineCodec.encode(Events.message(escapes))?.text == "alice: [2J    31m\tb\u{A0}é\n")
        let forger = User(id: UserID(trusted: "f"), name: "x\neve")
        #expect(LineCodec.encode(Events.message("hi", sender: forger))?.text == "x eve:hi\n")
        #expect(LineCodec.encode(Events.joined(Events.bob))?.text == "bob:has joined\n")
        #expect(LineCodec.encode(EphemeralEvent.guestJoined("eve"))?.text == "eve:has joined\n")
        #expect(LineCodec.encode(EphemeralEvent.guestLeft("eve"))?.text == "eve:has left\n")
        #expect(LineCodec.encode(Events.event(.left(Events.bob, by: Events.alice.id)))?.text == "bob:has left\n")
    }

    @Test("other log events are represented only by the v1 dialect", arguments: Events.changes)
    func hidesChanges(body: LogEvent.Body) {
        #expect(LineCodec.encode(Events.event(body)) == nil)
        #expect(ClassicCodec.encode(Events.event(body)) == nil)
        #expect(DirectCodec.encode(Events.event(body)) == nil)
        let frame = SharedFrame(Events.event(body), for: .all)
        for dialect in [Dialect.classic, .direct, .line] {
            #expect(frame.bytes(for: Encoding(dialect: dialect)) == nil)
        }
    }

    @Test("other ephemeral events are represented only by the v1 dialect")
    func hidesEphemeralEvents() {
        let notices: [EphemeralEvent] = [
            .typing(Events.bob, isOn: true), .read(Events.bob.id, seq: 1, date: 2), .stored(seq: 3, epoch: Epoch("e")),
        ]
        for event in notices { #expect(LineCodec.encode(event) == nil) }
    }

    @Test(
        "errors have the texts of the protocol",
        arguments: [
            (LineError.introduceYourselfFirst, "error:say iam:NAME first\n"), (.nameTaken, "error:name taken\n"),
            (.already("bob"), "error:already bob\n"), (.lineTooLong, "error:line too long\n"),
            (.badName, "error:bad name\n"), (.badText, "error:bad text\n"),
            (.unknownCommand, "error:unknown command\n"),
        ])
    func writesErrors(error: LineError, line: String) {
        #expect(LineCodec.encode(error).text == line)
    }

    @Test("a guest's id depends on the name only and is valid")
    func makesGuestIDs() {
        #expect(GuestID.make(name: "bob") == GuestID.make(name: "bob"))
        #expect(GuestID.make(name: "bob") != GuestID.make(name: "Bob"))
        #expect(GuestID.make(name: "").text == "guest.6c62272e07bb014262b821756295c58d")
        #expect(UserID(GuestID.make(name: "é👍").text) != nil)
    }
}
