import NIOCore
import ParleyWire
import Testing

@Suite("Client-side WebSocket frames")
struct WebSocketServerFrameParserTests {
    private func run(_ parts: [[UInt8]], maximumBytes: Int = 100_000) -> (inputs: [WebSocketInput], WebSocketViolation?)
    {
        var parser = WebSocketServerFrameParser(maximumBytes: maximumBytes)
        var inputs: [WebSocketInput] = []
        for part in parts {
            var bytes = ByteBuffer(bytes: part)
            parser.append(&bytes)
            do {
                while let input = try parser.next() { inputs.append(input) }
            } catch {
                return (inputs, error)
            }
        }
        return (inputs, nil)
    }

    @Test("frames of every size are parsed, wherever they are split")
    func cutAnywhere() {
        let texts = ["", "hello", String(repeating: "x", count: 125), String(repeating: "é", count: 200)]
        var bytes: [UInt8] = []
        for text in texts { bytes += WebSocketFrame.text(ByteBuffer(string: text), compressed: false).array }
        bytes += WebSocketFrame.ping().array
        bytes += WebSocketFrame.close(code: 4200, reason: "going").array
        let expected =
            texts.map { WebSocketInput.text(ByteBuffer(string: $0)) } + [.ping(ByteBuffer()), .close(code: 4200)]
        for parts in cuts(of: bytes) {
            let (inputs, violation) = run(parts)
            #expect(inputs == expected)
            #expect(violation == nil)
        }
        let long = String(repeating: "y", count: 70_000)
        let frame = WebSocketFrame.text(ByteBuffer(string: long), compressed: false).array
        #expect(run([frame]).inputs == [.text(ByteBuffer(string: long))])
        #expect(
            run(stride(from: 0, to: frame.count, by: 999).map { Array(frame[$0..<min($0 + 999, frame.count)]) })
                .inputs == [.text(ByteBuffer(string: long))])
    }

    @Test("a parser is between messages before and after whole frames, never within one or after the end")
    func betweenMessages() throws {
        var parser = WebSocketServerFrameParser(maximumBytes: 1000)
        #expect(parser.isBetweenMessages)
        for (part, isBetween) in [
            ("81", false), ("01 61", true), ("01 01 61", false), ("89 00", false), ("80 00", true), ("88 00", false),
        ] {
            var bytes = ByteBuffer(bytes: hex(part))
            parser.append(&bytes)
            while try parser.next() != nil {}
            #expect(parser.isBetweenMessages == isBetween, "\(part)")
        }
    }

    @Test("fragments make one message, with control frames between them")
    func fragments() {
        let bytes = hex("01 02 68 65  89 00  80 03 6c 6c 6f  81 01 21")
        for parts in cuts(of: bytes) {
            #expect(
                run(parts).inputs
                    == [.ping(ByteBuffer()), .text(ByteBuffer(string: "hello")), .text(ByteBuffer(string: "!"))])
        }
    }

    @Test(
        "violations are detected",
        arguments: [
            ("c1 00", .reservedBit), ("81 80 00 00 00 00", .badLength), ("83 00", .unknownOpcode(3)),
            ("82 00", .binary), ("80 00", .unexpectedContinuation), ("01 00 81 00", .unfinishedMessage),
            ("09 00", .badControlFrame), ("88 01 03", .badCloseCode), ("81 01 ff", .notUTF8),
            ("81 7e 03 e9", .tooLarge(maximumBytes: 1000)),
            ("81 7f 00 00 00 01 00 00 00 00", .tooLarge(maximumBytes: 1000)),
            ("81 7f ff ff ff ff ff ff ff ff", .badLength),
        ] as [(String, WebSocketViolation)])
    func violations(bytes: String, violation: WebSocketViolation) {
        #expect(run([hex(bytes)], maximumBytes: 1000).1 == violation)
        // Split input gives the same violation.
        #expect(run(hex(bytes).map { [$0] }, maximumBytes: 1000).1 == violation)
    }

    @Test(
        "compressed texts are inflated once negotiated, whole or in fragments, and plain ones still read"
    )
    func compressed() throws {
        let text = ByteBuffer(string: String(repeating: "hello again, ", count: 40))
        let deflated = try #require(PerMessageDeflate.compress(text)).array
        let head = UInt8(deflated.count)
        let whole = WebSocketFrame.text(text, compressed: true).array
        // The bit is set on the first fragment only (RFC 7692 §6.1).
        let fragments = [0x41, 3] + deflated[..<3] + [0x80, head - 3] + deflated[3...]
        let plain = WebSocketFrame.text(ByteBuffer(string: "short"), compressed: false).array
        for parts in cuts(of: whole + plain + fragments) {
            var parser = WebSocketServerFrameParser(maximumBytes: 1000)
            parser.acceptsCompression()
            var inputs: [WebSocketInput] = []
            for part in parts {
                var bytes = ByteBuffer(bytes: part)
                parser.append(&bytes)
                while let input = try parser.next() { inputs.append(input) }
            }
            #expect(inputs == [.text(text), .text(ByteBuffer(string: "short")), .text(text)])
        }
        #expect(run([whole]).1 == .reservedBit)
        // A small frame may inflate to a large message.
        for (maximum, frame, violation) in [
            (519, whole, WebSocketViolation.tooLarge(maximumBytes: 519)), (1000, hex("c1 02 ff ff"), .notDeflated),
            (1000, hex("c9 00"), .reservedBit), (1000, hex("a1 00"), .reservedBit),
        ] {
            var parser = WebSocketServerFrameParser(maximumBytes: maximum)
            parser.acceptsCompression()
            var bytes = ByteBuffer(bytes: frame)
            parser.append(&bytes)
            #expect(throws: violation) { try parser.next() }
        }
    }

    @Test("the server parses the frames a client writes", arguments: [0, 1, 125, 126, 65_535, 65_536])
    func roundTrip(count: Int) throws {
        let text = ByteBuffer(string: String(repeating: "z", count: count))
        var bytes = WebSocketClientFrame.frame(.text, text, mask: 0xDEAD_BEEF)
        var pong = ByteBuffer(string: "pong")
        pong.writeRepeatingByte(0x21, count: 200)
        WebSocketClientFrame.append(.ping, pong, mask: 7, to: &bytes)
        bytes.writeImmutableBuffer(WebSocketClientFrame.close(code: 1000, mask: 9))
        let parser = WebSocketFrameParser(maximumBytes: 65_536, compression: false)
        parser.append(&bytes)
        #expect(try parser.next() == .text(text))
        #expect(try parser.next() == .ping(try #require(pong.getSlice(at: 0, length: 125))))
        #expect(try parser.next() == .close(code: 1000))
    }
}
