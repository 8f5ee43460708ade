import NIOCore
import ParleyREST
import Testing

@Suite("Splitting a stream into lines")
struct ImportLineSplitterTests {
    private static func lines(_ pieces: [[UInt8]]) -> [ImportLineSplitter.Line] {
        var splitter = ImportLineSplitter()
        var lines = pieces.flatMap { splitter.lines(in: ByteBuffer(bytes: $0)) }
        if let last = splitter.last() { lines.append(last) }
        return lines
    }

    private static func texts(_ lines: [ImportLineSplitter.Line]) -> [String] {
        lines.map { "\($0.number):" + ($0.bytes.map { String(decoding: $0, as: UTF8.self) } ?? "too long") }
    }

    @Test(
        "the lines are the same however the stream is split",
        arguments: [
            ("", []), ("a", ["1:a"]), ("a\n", ["1:a"]), ("\n", ["1:"]), ("a\nb", ["1:a", "2:b"]),
            ("\n\na\r\n\n", ["1:", "2:", "3:a\r", "4:"]), ("ab\ncd\nef", ["1:ab", "2:cd", "3:ef"]),
        ])
    func cuts(text: String, expected: [String]) {
        let bytes = Array(text.utf8)
        #expect(Self.texts(Self.lines([bytes])) == expected)
        #expect(Self.texts(Self.lines(bytes.map { [$0] })) == expected)
        for cut in 0...bytes.count {
            #expect(Self.texts(Self.lines([Array(bytes[..<cut]), Array(bytes[cut...])])) == expected)
        }
    }

    @Test("too long lines are reported, however they are split, and the next line is complete")
    func tooLong() {
        let limit = ImportLineSplitter.maximumLength
        for size in [1000, limit + 2, 1 << 20] {
            for (length, isTooLong) in [(limit - 1, false), (limit, false), (limit + 1, true), (3 * limit, true)] {
                let bytes = Array(repeating: UInt8(ascii: "a"), count: length) + Array("\nb".utf8)
                let pieces = stride(from: 0, to: bytes.count, by: size).map {
                    Array(bytes[$0..<min($0 + size, bytes.count)])
                }
                let lines = Self.lines(pieces)
                #expect(lines.map(\.number) == [1, 2])
                #expect((lines[0].bytes == nil) == isTooLong, "\(length) in pieces of \(size)")
                #expect(lines[1].bytes == [UInt8(ascii: "b")])
            }
        }
        #expect(Self.lines([Array(repeating: 0x61, count: limit + 1)]).map(\.bytes) == [nil])
    }
}
