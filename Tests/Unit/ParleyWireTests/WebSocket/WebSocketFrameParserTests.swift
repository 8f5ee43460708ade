import NIOCore
import ParleyTestSupport
import ParleyWire
import Testing

@Suite struct WebSocketFrameParserTests {
    private static func text(_ text: String) -> WebSocketInput { .text(ByteBuffer(string: text)) }

    // MARK: Valid input

    static let conversations: [(frames: [ClientFrame], inputs: [WebSocketInput])] = [
        ([ClientFrame("Hello")], [text("Hello")]),
        ([ClientFrame("")], [text("")]),
        ([ClientFrame("a"), ClientFrame("b")], [text("a"), text("b")]),
        ([ClientFrame("Hel", isFinal: false), ClientFrame("lo", opcode: 0)], [text("Hello")]),
        (
            [ClientFrame("", isFinal: false), ClientFrame("", opcode: 0, isFinal: false), ClientFrame("", opcode: 0)],
            [text("")]
        ),
        (
            [
                ClientFrame("a", isFinal: false), ClientFrame("p", opcode: 9),
                ClientFrame("b", opcode: 0, isFinal: false),
                ClientFrame("", opcode: 10), ClientFrame("c", opcode: 0),
            ], [.ping(ByteBuffer(string: "p")), .pong, text("abc")]
        ),
        // A scalar may be split between fragments.
        (
            [ClientFrame([0xF0, 0x9F], isFinal: false), ClientFrame([0x91, 0x8D], opcode: 0)], [text("👍")]
        ),
        ([ClientFrame("", opcode: 9), ClientFrame("pong", opcode: 10)], [.ping(ByteBuffer()), .pong]),
        (
            [ClientFrame([UInt8](repeating: 9, count: 125), opcode: 9)],
            [.ping(ByteBuffer(repeating: 9, count: 125))]
        ),
        (
            [ClientFrame(String(repeating: "x", count: 126)), ClientFrame(String(repeating: "y", count: 300))],
            [text(String(repeating: "x", count: 126)), text(String(repeating: "y", count: 300))]
        ),
        ([ClientFrame([], opcode: 8), ClientFrame("after")], [.close(code: nil)]),
        ([ClientFrame([0x03, 0xE8], opcode: 8)], [.close(code: 1000)]),
        ([ClientFrame([0x0F, 0xA0] + Array("bye é".utf8), opcode: 8)], [.close(code: 4000)]),
        ([ClientFrame("a", isFinal: false), ClientFrame([0x03, 0xE9], opcode: 8)], [.close(code: 1001)]),
    ]

    @Test("frames are parsed the same however their bytes arrive", arguments: conversations.indices)
    func readsDripFed(index: Int) {
        let (frames, inputs) = Self.conversations[index]
        for parts in cuts(of: frames.flatMap(\.bytes)) {
            let run = ParserRun(parts)
            #expect(run.inputs == inputs)
            #expect(run.violation == nil)
        }
    }

    @Test("the masked Hello of RFC 6455 §5.7 is parsed")
    func readsExample() {
        #expect(ParserRun([hex("81 85 37 FA 21 3D 7F 9F 4D 51 58")]).texts == ["Hello"])
        #expect(
            ParserRun([hex("01 83 37 FA 21 3D 7F 9F 4D"), hex("80 82 3D 21 FA 37 51 4E")]).texts == ["Hello"])
    }

    @Test(
        "every payload length and key rotation is unmasked",
        arguments: [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31])
    func unmasks(count: Int) {
        let text = String("abcdefghijklmnopqrstuvwxyzABCDEF".prefix(count))
        for parts in cuts(of: ClientFrame(Array(text.utf8), key: [0x11, 0xA2, 0x33, 0xF4]).bytes) {
            #expect(ParserRun(parts).texts == [text])
        }
    }

    // MARK: Violations

    @Test(
        "violations of RFC 6455 have their close code, however the bytes arrive",
        arguments: [
            ([ClientFrame([], key: nil)], WebSocketViolation.unmasked, 1002),
            ([ClientFrame("a", reserved: 0b100)], .reservedBit, 1002),
            ([ClientFrame("a", reserved: 0b010)], .reservedBit, 1002),
            ([ClientFrame("a", reserved: 0b001)], .reservedBit, 1002),
            ([ClientFrame("a", opcode: 3)], .unknownOpcode(3), 1002),
            ([ClientFrame("a", opcode: 15)], .unknownOpcode(15), 1002),
            ([ClientFrame("a", opcode: 9, isFinal: false)], .badControlFrame, 1002),
            ([ClientFrame([UInt8](repeating: 0, count: 126), opcode: 9)], .badControlFrame, 1002),
            ([ClientFrame("a", opcode: 0)], .unexpectedContinuation, 1002),
            ([ClientFrame("a"), ClientFrame("b", opcode: 0)], .unexpectedContinuation, 1002),
            ([ClientFrame("a", isFinal: false), ClientFrame("b")], .unfinishedMessage, 1002),
            ([ClientFrame("a", isFinal: false), ClientFrame("b", opcode: 2)], .unfinishedMessage, 1002),
            ([ClientFrame("a", opcode: 2)], .binary, 1003),
            ([ClientFrame([], opcode: 2)], .binary, 1003),
            ([ClientFrame([0xFF])], .notUTF8, 1007),
            ([ClientFrame([0xED, 0xA0, 0x80])], .notUTF8, 1007),
            ([ClientFrame([0xC3], isFinal: false), ClientFrame([0x28], opcode: 0)], .notUTF8, 1007),
            ([ClientFrame([3], opcode: 8)], .badCloseCode, 1002),
            ([ClientFrame([0x03, 0xE8, 0xFF], opcode: 8)], .notUTF8, 1007),
        ] as [([ClientFrame], WebSocketViolation, UInt16)])
    func refuses(frames: [ClientFrame], violation: WebSocketViolation, code: UInt16) {
        #expect(violation.closeCode == code)
        #expect((1...123).contains(violation.explanation.utf8.count))
        let bytes = frames.flatMap(\.bytes) + ClientFrame("never read").bytes
        for parts in cuts(of: bytes) {
            let run = ParserRun(parts)
            #expect(run.violation == violation)
            #expect(!run.texts.contains("never read"))
        }
    }

    @Test("lengths that are not in their shortest form are rejected")
    func refusesLongLengths() {
        for digits in [
            "81 FE 00 7D", "81 FF 0000 0000 0000 FFFF", "81 FF 8000 0000 0000 0000", "81 FF FFFF FFFF FFFF FFFF",
        ] {
            for parts in cuts(of: hex(digits)) { #expect(ParserRun(parts).violation == .badLength, "\(digits)") }
        }
    }

    @Test("only close codes that may be sent are accepted")
    func checksCloseCodes() {
        for code in UInt16.min...UInt16.max {
            let run = ParserRun([ClientFrame([UInt8(code >> 8), UInt8(code & 0xFF)], opcode: 8).bytes])
            let isAllowed =
                (1000...1014).contains(code) && !(1004...1006).contains(code) || (3000...4999).contains(code)
            let expected = isAllowed ? run.inputs == [.close(code: code)] : run.violation == .badCloseCode
            if !expected { Issue.record("code \(code)") }
        }
    }

    @Test("all first bytes of a frame are checked as by a naive reader", arguments: [false, true])
    func checksAllHeads(compression: Bool) {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let run = ParserRun([[first, second]], compression: compression)
                if run.violation?.closeCode != Self.expectedCloseCode(first, second, compression) {
                    Issue.record("\(first) \(second): \(String(describing: run.violation))")
                }
            }
        }
    }

    /// The close code for the first two bytes of a frame. A parser may wait for the whole header, but must reject a
    /// violation that depends on no later byte once the header is complete.
    private static func expectedCloseCode(_ first: UInt8, _ second: UInt8, _ compression: Bool) -> UInt16? {
        let opcode = first & 15
        let isControl = opcode >= 8
        if first & 0x30 != 0 || ![0, 1, 2, 8, 9, 10].contains(opcode) || second < 128 { return 1002 }
        if first & 0x40 != 0 && ![1, 2].contains(opcode) { return 1002 }
        if isControl && (first < 128 || second & 127 > 125) { return 1002 }
        // The rest needs the masking key.
        return nil
    }

    // MARK: Bounds

    @Test(
        "a message may have the maximum number of bytes and not one more",
        arguments: [1, 125, 126, 1000, 65_535, 65_536])
    func boundsFrames(maximum: Int) {
        let most = [UInt8](repeating: 97, count: maximum)
        #expect(ParserRun([ClientFrame(most).bytes], maximumBytes: maximum).texts.first?.utf8.count == maximum)
        let tooLarge = WebSocketViolation.tooLarge(maximumBytes: maximum)
        #expect(tooLarge.closeCode == 1009)
        // The header alone is enough: the parser waits for no payload.
        let head = Array(ClientFrame(most + [97]).bytes.dropLast(maximum + 1))
        #expect(ParserRun([head], maximumBytes: maximum).violation == tooLarge)
        let fragments = [ClientFrame(most, isFinal: false).bytes, ClientFrame([97], opcode: 0).bytes]
        #expect(ParserRun(fragments, maximumBytes: maximum).violation == tooLarge)
        let exact = [ClientFrame(most, isFinal: false).bytes, ClientFrame([], opcode: 0).bytes]
        #expect(ParserRun(exact, maximumBytes: maximum).violation == nil)
    }

    @Test("control frames are accepted within a message of maximum size")
    func controlIsNotCounted() {
        let frames = [
            ClientFrame([UInt8](repeating: 97, count: 20), isFinal: false), ClientFrame("0123456789", opcode: 9),
            ClientFrame("", opcode: 0),
        ]
        let run = ParserRun([frames.flatMap(\.bytes)], maximumBytes: 20)
        #expect(run.violation == nil)
        #expect(run.inputs.count == 2)
    }

    @Test("a parser between two messages, or at the end, holds no heap memory")
    func idlesWithoutMemory() {
        var held: [Int] = []
        let hello = ClientFrame("Hello").bytes
        _ = ParserRun([hello, hello + hello, [], ClientFrame("p", opcode: 9).bytes, [0x81, 0x80, 0, 0, 0, 0]]) {
            held.append($0.heldBytes)
        }
        #expect(held == [0, 0, 0, 0, 0])
        let over = ParserRun([ClientFrame("a", isFinal: false).bytes, [0xFF, 0xFF], hello]) {
            held.append($0.heldBytes)
        }
        #expect(over.violation == .reservedBit)
        #expect(held.suffix(2) == [0, 0])
        let closed = ParserRun([ClientFrame([], opcode: 8).bytes + hello, hello]) { held.append($0.heldBytes) }
        #expect(closed.inputs == [.close(code: nil)])
        #expect(held.suffix(2) == [0, 0])
    }

    @Test("an announced frame takes no memory before it arrives")
    func announcingIsFree() {
        let head = Array(ClientFrame([UInt8](repeating: 97, count: 65_536)).bytes.prefix(14))
        var held: [Int] = []
        _ = ParserRun([head] + [[UInt8]](repeating: [97], count: 100), maximumBytes: 65_536) {
            held.append($0.heldBytes)
        }
        #expect(held[0] == 0)
        #expect(held.allSatisfy { $0 <= 256 })
    }

    @Test("it holds nothing only between two messages")
    func emptiness() throws {
        let bytes = ClientFrame("Hello").bytes
        for cut in bytes.indices {
            let parser = WebSocketFrameParser(maximumBytes: 1000, compression: false)
            var (head, tail) = (ByteBuffer(bytes: bytes[..<cut]), ByteBuffer(bytes: bytes[cut...]))
            parser.append(&head)
            #expect(try parser.next() == nil)
            #expect(parser.isEmpty == (cut == 0))
            parser.append(&tail)
            #expect(try parser.next() == .text(ByteBuffer(string: "Hello")))
            #expect(try parser.next() == nil)
            #expect(parser.isEmpty)
        }
    }

    @Test("an incomplete header does not keep the receive buffer alive")
    func copiesIncompleteHeads() {
        var buffer = ByteBufferAllocator().buffer(capacity: 4096)
        buffer.writeBytes(ClientFrame("Hello").bytes + [0x81])
        let parser = WebSocketFrameParser(maximumBytes: 1000, compression: false)
        parser.append(&buffer)
        #expect(throws: Never.self) { while try parser.next() != nil {} }
        #expect(parser.heldBytes <= 16)
    }

    // MARK: Compression

    @Test("compressed messages are inflated, whole and in fragments")
    func inflates() {
        // RFC 7692 §7.2.3.1.
        let hello = hex("F2 48 CD C9 C9 07 00")
        #expect(ParserRun([ClientFrame(hello, reserved: 4).bytes], compression: true).texts == ["Hello"])
        for cut in 0...hello.count {
            let frames = [
                ClientFrame(Array(hello[..<cut]), isFinal: false, reserved: 4), ClientFrame("p", opcode: 9),
                ClientFrame(Array(hello[cut...]), opcode: 0), ClientFrame("plain"),
            ]
            for parts in cuts(of: frames.flatMap(\.bytes)) {
                #expect(ParserRun(parts, compression: true).texts == ["Hello", "plain"])
            }
        }
        #expect(ParserRun([ClientFrame(hello, reserved: 4).bytes], compression: false).violation == .reservedBit)
    }

    @Test("the compression bit is valid on the first frame of a message only")
    func checksCompressionBit() {
        let continuation = [ClientFrame("a", isFinal: false), ClientFrame("b", opcode: 0, reserved: 4)]
        #expect(ParserRun([continuation.flatMap(\.bytes)], compression: true).violation == .reservedBit)
        #expect(ParserRun([ClientFrame("", opcode: 9, reserved: 4).bytes], compression: true).violation == .reservedBit)
    }

    @Test("a message that does not inflate, or not to text, is rejected")
    func refusesBadCompression() throws {
        #expect(ParserRun([ClientFrame([0xFF], reserved: 4).bytes], compression: true).violation == .notDeflated)
        let noise = try #require(Zlib.deflate(ByteBuffer(bytes: [0xFF, 0xFE]), windowBits: 15))
        #expect(ParserRun([ClientFrame(noise.array, reserved: 4).bytes], compression: true).violation == .notUTF8)
        let bomb = try #require(Zlib.deflate(ByteBuffer(repeating: 97, count: 1_000_000), windowBits: 15))
        #expect(
            ParserRun([ClientFrame(bomb.array, reserved: 4).bytes], maximumBytes: 65_536, compression: true).violation
                == .tooLarge(maximumBytes: 65_536))
    }

    // MARK: Random input

    @Test(
        "random frames and garbage never trap and never hold more than the bound",
        arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func survivesStrangers(seed: UInt64) {
        var generator = SeededGenerator(seed)
        let maximum = 500
        let largestPart = 700
        for round in 0..<1500 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...8, using: &generator) { bytes += Self.randomFrame(maximum, &generator) }
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            var parts: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...largestPart, using: &generator)
                parts.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            var most = 0
            let run = ParserRun(parts, maximumBytes: maximum, compression: round % 2 == 0) {
                most = max(most, $0.heldBytes)
            }
            // Storage grows in powers of two: one message, one control frame, one header.
            #expect(most <= 512 + 128 + 16, "seed \(seed), round \(round)")
            for case .text(let text) in run.inputs {
                #expect(text.readableBytes <= maximum, "seed \(seed), round \(round)")
                #expect(
                    String(validating: text.readableBytesView, as: UTF8.self) != nil, "seed \(seed), round \(round)")
            }
            // The same bytes in one piece give the same result.
            #expect(
                ParserRun([bytes], maximumBytes: maximum, compression: round % 2 == 0) == run,
                "seed \(seed), round \(round)")
        }
    }

    private static func randomFrame(_ maximum: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        let isControl = Int.random(in: 0..<4, using: &generator) == 0
        let count =
            isControl ? Int.random(in: 0...125, using: &generator) : Int.random(in: 0...maximum, using: &generator)
        var payload = [UInt8](repeating: UInt8(ascii: "x"), count: count)
        var reserved: UInt8 = 0
        if !isControl, Bool.random(using: &generator),
            let deflated = Zlib.deflate(ByteBuffer(bytes: generator.bytes(count).map { $0 % 100 }), windowBits: 15)
        {
            payload = deflated.array
            reserved = 4
        }
        return ClientFrame(
            payload,
            opcode: isControl
                ? [9, 9, 10, 8].randomElement(using: &generator) ?? 9
                : reserved == 0 ? [1, 0, 1, 1].randomElement(using: &generator) ?? 1 : 1,
            isFinal: isControl || Int.random(in: 0..<4, using: &generator) > 0, reserved: reserved,
            key: generator.bytes(4)
        ).bytes
    }
}
