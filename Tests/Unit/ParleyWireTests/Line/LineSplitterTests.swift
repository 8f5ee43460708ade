import NIOCore
import ParleyTestSupport
import ParleyWire
import Testing

@Suite struct LineSplitterTests {
    private static let maximum = LineSplitter.maximumBytes

    /// The items split from the parts; "!" stands for a line that is too long, "~" as a part for silence.
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
        // A long text has many cut points; those near its ends and the limit are the relevant ones.
        for index in bytes.indices.dropFirst() where bytes.count < 100 || abs(index - Self.maximum) < 5 || index < 3 {
            #expect(split([Array(bytes[..<index]), Array(bytes[index...])]) == lines, "cut at \(index)")
        }
    }

    @Test(
        "silence ends a line, and a late line end is not another one",
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

    @Test("random bytes in random parts are split as by a naive reader", arguments: [11, 12, 13] as [UInt64])
    func agreesWithNaiveModel(seed: UInt64) {
        var generator = SeededGenerator(seed)
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
            // Bytes after the last line end are not a line yet, but exceeding the limit is already known.
            let last = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).last ?? []
            if (last.last == 0x0D ? last.count - 1 : last.count) <= Self.maximum { expected.removeLast() }
            #expect(split(parts) == expected, "seed \(seed)")
        }
    }
}
