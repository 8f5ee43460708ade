import ParleyTerminal
import Testing

@Suite struct LineCommandTests {
    @Test(
        "a line is a text, or a command after a slash",
        arguments: [
            ("", nil), ("Hello", .text("Hello")), (" /quit", .text(" /quit")), ("//etc/hosts", .text("/etc/hosts")),
            ("/edit 7 new text", .edit(.seq(7), text: "new text")), ("/delete last", .delete(.last)),
            ("/react 7 👍", .react(.seq(7), emoji: "👍", isOn: true)),
            ("/unreact 7 👍", .react(.seq(7), emoji: "👍", isOn: false)),
            ("/reply 7   two  words", .reply(.seq(7), text: "two  words")),
            ("/edit 0190-ab x", .edit(.id("0190-ab"), text: "x")), ("/read", .read), ("/older", .older),
            ("/search two words", .search("two words")), ("/quit", .quit), ("/retry last", .retry(.last)),
            ("/discard last", .discard(.last)),
        ] as [(String, LineCommand?)])
    func valid(_ line: String, _ command: LineCommand?) throws {
        #expect(try LineCommand.parse(line) == command)
    }

    @Test(
        "a line that begins with a slash and is no command is refused, not sent",
        arguments: [
            "/", "/edit", "/edit 7", "/edit  ", "/delete", "/delete 7 8", "/react 7", "/search", "/quit now", "/sing",
            "/delete 99999999999999999999",
        ])
    func invalid(_ line: String) {
        #expect(throws: LineCommand.Invalid.self) { try LineCommand.parse(line) }
    }
}
