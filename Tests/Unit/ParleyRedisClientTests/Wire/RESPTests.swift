import NIOCore
import ParleyRedisClient
import Testing

@Suite("Replies are read in any portions and within limits")
struct RESPTests {
    static let texts: [(String, [RESPValue])] = [
        ("+OK\r\n", [.status("OK")]), ("-ERR no\r\n", [.error("ERR no")]), (":-12\r\n", [.integer(-12)]),
        ("$5\r\nh\r\nlo\r\n", [.bulk(Array("h\r\nlo".utf8))]), ("$-1\r\n", [.null]), ("$0\r\n\r\n", [.bulk([])]),
        ("*0\r\n", [.array([])]),
        (
            "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$2\r\nhi\r\n:1\r\n",
            [.array([.bulk(Array("message".utf8)), .bulk(Array("c".utf8)), .bulk(Array("hi".utf8))]), .integer(1)]
        ),
        ("*2\r\n*1\r\n:1\r\n*2\r\n$-1\r\n+x\r\n", [.array([.array([.integer(1)]), .array([.null, .status("x")])])]),
    ]

    private func read(_ portions: [ArraySlice<UInt8>]) throws -> [RESPValue] {
        let reader = try #require(RESPReader())
        var values: [RESPValue] = []
        for portion in portions {
            let bytes = ByteBuffer(bytes: portion)
            try bytes.withUnsafeReadableBytes { try reader.feed($0) }
            while let value = try reader.next() { values.append(value) }
        }
        return values
    }

    @Test("replies are read byte by byte, all at once, and split at each point")
    func portions() throws {
        for (text, values) in Self.texts {
            let bytes = Array(text.utf8)
            #expect(try read([bytes[...]]) == values)
            #expect(try read(bytes.indices.map { bytes[$0...$0] }) == values)
            for split in bytes.indices { #expect(try read([bytes[..<split], bytes[split...]]) == values) }
        }
    }

    static let violations: [(String, RESPGuard.ParseError)] = [
        ("$11\r\n", .bulkTooLong), ("$99999999999\r\n", .bulkTooLong), ("*6\r\n", .tooManyElements),
        ("*3\r\n*3\r\n", .tooManyElements), ("+123456789012345678901\r\n", .lineTooLong),
        ("*3\r\n$9\r\n123456789\r\n$9\r\n123456789\r\n$9\r\n", .replyTooLong), ("x", .malformed), ("$x", .malformed),
        ("$\r\n", .malformed), ("GET / HTTP/1.1\r\n", .malformed),
    ]

    @Test("a reply beyond the limits is refused", arguments: violations.indices)
    func limits(_ index: Int) {
        let (text, violation) = Self.violations[index]
        var limits = RESPLimits()
        limits.bulkBytes = 10
        limits.elements = 5
        limits.lineBytes = 20
        limits.replyBytes = 20
        for size in [1, 1000] {
            var guardian = RESPGuard(limits)
            #expect(throws: violation) {
                let bytes = Array(text.utf8)
                for start in stride(from: 0, to: bytes.count, by: size) {
                    try Array(bytes[start..<min(start + size, bytes.count)]).withUnsafeBytes {
                        try guardian.check($0)
                    }
                }
            }
        }
    }

    @Test("limits apply to one reply, not to all together")
    func reset() throws {
        var limits = RESPLimits()
        limits.bulkBytes = 10
        limits.replyBytes = 20
        limits.elements = 2
        var guardian = RESPGuard(limits)
        for _ in 0..<100 {
            try Array("*2\r\n$10\r\n1234567890\r\n$10\r\n1234567890\r\n".utf8).withUnsafeBytes {
                try guardian.check($0)
            }
        }
    }

    @Test("a command is an array of bulk strings")
    func command() {
        var command = RESPCommand(count: 4)
        command.append("SET")
        command.append("é")
        command.append([0, 255] as [UInt8])
        command.append(12)
        let expected = Array("*4\r\n$3\r\nSET\r\n$2\r\né\r\n$2\r\n".utf8) + [0, 255] + Array("\r\n$2\r\n12\r\n".utf8)
        #expect(Array(command.bytes.readableBytesView) == expected)
    }
}
