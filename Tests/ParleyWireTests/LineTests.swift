import NIOCore
import ParleyModel
import ParleyWire
import Testing

@Suite struct LineCodecTests {
    @Test(
        "lines are read",
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
        "what is no command has its error line",
        arguments: [
            ("", "error:unknown command\n"), ("hello", "error:unknown command\n"),
            ("IAM:bob", "error:unknown command\n"),
            (" msg:hi", "error:unknown command\n"), (":msg:hi", "error:unknown command\n"),
            ("iam:", "error:bad name\n"),
            ("iam:a:b", "error:bad name\n"), ("iam:a\tb", "error:bad name\n"), ("iam:\u{85}", "error:bad name\n"),
            ("iam:\u{7F}", "error:bad name\n"), ("iam:a\r", "error:bad name\n"),
            ("iam:" + String(repeating: "e\u{301}", count: 16), "error:bad name\n"),
        ])
    func refuses(line: String, answer: String) {
        do throws(CommandFlaw) {
            _ = try LineCodec.decode(ByteBuffer(string: line))
            Issue.record("was read: \(line)")
        } catch {
            #expect(LineCodec.encode(LineError(error)).text == answer)
        }
    }

    @Test("a line that is not UTF-8 is bad text", arguments: ["FF", "69616D3A80", "6D73673AC3"])
    func refusesBadUTF8(digits: String) {
        #expect(throws: CommandFlaw.badText) { _ = try LineCodec.decode(ByteBuffer(bytes: hex(digits))) }
        #expect(LineCodec.encode(LineError(.badText)).text == "error:bad text\n")
    }

    @Test("everyone gets NAME:TEXT, and no text forges a line")
    func writesLines() {
        #expect(LineCodec.encode(Events.message("a:b"))?.text == "alice:a:b\n")
        #expect(LineCodec.encode(Events.message("a\nerror:b\r\nc\r"))?.text == "alice:a error:b  c \n")
        let forger = User(id: UserID(trusted: "f"), name: "x\neve")
        #expect(LineCodec.encode(Events.message("hi", sender: forger))?.text == "x eve:hi\n")
        #expect(LineCodec.encode(Events.joined(Events.bob))?.text == "bob:has joined\n")
        #expect(LineCodec.encode(ThreadNotice.guestJoined("eve"))?.text == "eve:has joined\n")
        #expect(LineCodec.encode(ThreadNotice.guestLeft("eve"))?.text == "eve:has left\n")
    }

    @Test(
        "errors are those of the protocol",
        arguments: [
            (LineError.introduceYourselfFirst, "error:say iam:NAME first\n"), (.nameTaken, "error:name taken\n"),
            (.already("bob"), "error:already bob\n"), (.lineTooLong, "error:line too long\n"),
            (.badName, "error:bad name\n"), (.badText, "error:bad text\n"),
            (.unknownCommand, "error:unknown command\n"),
        ])
    func writesErrors(error: LineError, line: String) {
        #expect(LineCodec.encode(error).text == line)
    }

    @Test("a guest's id hangs on the name alone and is a valid id")
    func makesGuestIDs() {
        #expect(GuestID.make(name: "bob") == GuestID.make(name: "bob"))
        #expect(GuestID.make(name: "bob") != GuestID.make(name: "Bob"))
        #expect(GuestID.make(name: "").text == "guest.6c62272e07bb014262b821756295c58d")
        #expect(UserID(GuestID.make(name: "é👍").text) != nil)
    }
}

@Suite struct LineSplitterTests {
    private static let maximum = LineSplitter.maximumBytes

    /// What the splitter makes of the parts; "!" stands for a line that is too long, "~" as a part for silence.
    private func split(_ parts: [[UInt8]]) -> [String] {
        var splitter = LineSplitter()
        var lines: [String] = []
        func note(_ item: LineSplitter.Item) {
            switch item {
            case .line(let bytes): lines.append(bytes.text)
            case .tooLong: lines.append("!")
            }
        }
        for part in parts {
            if part == Array("~".utf8) {
                if let item = splitter.flush() { note(item) }
                #expect(!splitter.isMidLine)
                continue
            }
            var bytes = ByteBuffer(bytes: part)
            splitter.append(&bytes)
            #expect(bytes.readableBytes == 0)
            while let item = splitter.next() { note(item) }
        }
        return lines
    }

    private static func long(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test(
        "lines are the same however their bytes arrive",
        arguments: [
            ("a\nb\n", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]), ("\n\r\n", ["", ""]), ("a\rb\n", ["a\rb"]),
            ("a\r\r\n", ["a\r"]), ("é👍\nrest", ["é👍"]), ("", []),
            (long(maximum) + "\n", [long(maximum)]), (long(maximum) + "\r\n", [long(maximum)]),
            (long(maximum + 1) + "\na\n", ["!", "a"]), (long(maximum + 1) + "\r\na\n", ["!", "a"]),
            (long(maximum) + "\rx\na\n", ["!", "a"]),
            (long(3 * maximum) + "\n" + long(2 * maximum) + "\nb\n", ["!", "!", "b"]),
        ])
    func splits(text: String, lines: [String]) {
        let bytes = Array(text.utf8)
        #expect(split([bytes]) == lines)
        #expect(split(bytes.map { [$0] }) == lines)
        // Every cut of a long text is many; those near its ends and its bound tell.
        for index in bytes.indices.dropFirst() where bytes.count < 100 || abs(index - Self.maximum) < 5 || index < 3 {
            #expect(split([Array(bytes[..<index]), Array(bytes[index...])]) == lines, "cut at \(index)")
        }
    }

    @Test(
        "silence ends a line, and a line end that comes late is not another one",
        arguments: [
            (["iam:bob", "~", "msg:hi", "~"], ["iam:bob", "msg:hi"]), (["a", "~", "\n", "b\n"], ["a", "b"]),
            (["a", "~", "\r\n", "\n"], ["a", ""]), (["a\r", "~", "\nb\n"], ["a", "b"]),
            (["a", "~", "\r", "~", "\n", "b\n"], ["a", "b"]), (["a\n", "~", "\n"], ["a", ""]), (["~", "\n"], [""]),
            (["a", "~", "b\n", "\n"], ["a", "b", ""]), (["a\nb", "~"], ["a", "b"]),
            ([long(maximum + 1), "~", "a\n"], ["!", "a"]), ([long(5000), "~", "\na\n"], ["!", "a"]),
            ([long(maximum) + "\r", "~", "\n"], [long(maximum)]),
        ])
    func flushes(parts: [String], lines: [String]) {
        #expect(split(parts.map { Array($0.utf8) }) == lines)
    }

    @Test("random bytes in random parts are cut as a naive reader cuts them", arguments: [11, 12, 13] as [UInt64])
    func agreesWithNaiveModel(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<300 {
            let bytes: [UInt8] = (0..<Int.random(in: 0...4000, using: &generator)).map { _ in
                switch Int.random(in: 0..<1200, using: &generator) {
                case 0, 1: UInt8(ascii: "\n")
                case 2, 3: UInt8(ascii: "\r")
                default: UInt8(ascii: "x")
                }
            }
            var parts: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...700, using: &generator)
                parts.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            var expected = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
                let line = line.last == 0x0D ? line.dropLast() : line
                return line.count > Self.maximum ? "!" : String(decoding: line, as: UTF8.self)
            }
            // What stands behind the last line end is no line yet, but its being too long is known.
            let last = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).last ?? []
            if (last.last == 0x0D ? last.count - 1 : last.count) <= Self.maximum { expected.removeLast() }
            #expect(split(parts) == expected, "seed \(seed)")
        }
    }
}
