import NIOCore
import ParleyTestSupport
import ParleyWire
import Testing

@Suite struct PerMessageDeflateTests {
    // MARK: Negotiation

    private static let accepted = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
    private static let bounded = accepted + "; server_max_window_bits=12"

    @Test(
        "the first acceptable offer is accepted",
        arguments: [
            (["permessage-deflate"], accepted),
            // Chrome, Safari; Firefox sends none.
            (["permessage-deflate; client_max_window_bits"], accepted),
            (["permessage-deflate;client_max_window_bits=15"], accepted),
            (["permessage-deflate; client_max_window_bits=8"], accepted),
            (["permessage-deflate; server_no_context_takeover; client_no_context_takeover"], accepted),
            // Python's websockets.
            (["permessage-deflate; server_max_window_bits=12; client_max_window_bits=12"], bounded),
            (["permessage-deflate; server_max_window_bits=15"], bounded),
            (["permessage-deflate; server_max_window_bits=\"14\""], bounded),
            // The server's window is 12 bits: a smaller one cannot be promised, so the next offer is accepted.
            (["permessage-deflate; server_max_window_bits=8, permessage-deflate"], accepted),
            (
                ["permessage-deflate; server_max_window_bits=11", "permessage-deflate;server_max_window_bits=13"],
                bounded
            ),
            (["x-webkit-deflate-frame, permessage-deflate"], accepted),
            (["foo; bar=\"a\\\"b\", permessage-deflate"], accepted),
            ([" permessage-deflate ; client_max_window_bits = 10 "], accepted),
        ])
    func accepts(offers: [String], response: String) {
        #expect(PerMessageDeflate.negotiate(offers: offers) == response)
    }

    @Test(
        "unacceptable or malformed offers are declined",
        arguments: [
            "", ",", "x-webkit-deflate-frame", "permessage-deflate2", "permessage-bzip2",
            "permessage-deflate; server_max_window_bits=8", "permessage-deflate; server_max_window_bits=11",
            "permessage-deflate; server_max_window_bits", "permessage-deflate; server_max_window_bits=16",
            "permessage-deflate; server_max_window_bits=012", "permessage-deflate; server_max_window_bits=+12",
            "permessage-deflate; server_max_window_bits=", "permessage-deflate; server_max_window_bits=x",
            "permessage-deflate; client_max_window_bits=7", "permessage-deflate; client_max_window_bits=16",
            "permessage-deflate; client_max_window_bits=\"", "permessage-deflate; client_max_window_bits=08",
            "permessage-deflate; server_no_context_takeover=1", "permessage-deflate; client_no_context_takeover=true",
            "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
            "permessage-deflate; client_max_window_bits; client_max_window_bits=10", "permessage-deflate; unknown",
            "permessage-deflate;", "permessage-deflate; ; client_max_window_bits", "; permessage-deflate",
        ])
    func declines(offer: String) {
        #expect(PerMessageDeflate.negotiate(offers: [offer]) == nil)
    }

    @Test("without an offer there is no compression")
    func needsAnOffer() {
        #expect(PerMessageDeflate.negotiate(offers: []) == nil)
    }

    // MARK: Inflating

    private func inflate(_ bytes: [UInt8], maximumBytes: Int = 100_000) throws(WebSocketViolation) -> String {
        try PerMessageDeflate.inflate(ByteBuffer(bytes: bytes), maximumBytes: maximumBytes).text
    }

    @Test(
        "the examples of RFC 7692 §7.2.3 are inflated",
        arguments: [
            ("f2 48 cd c9 c9 07 00", "Hello"), ("00 05 00 fa ff 48 65 6c 6c 6f 00", "Hello"),
            ("f3 48 cd c9 c9 07 00 00", "Hello"), ("f2 48 05 00 00 00 ff ff ca c9 c9 07 00", "Hello"), ("00", ""),
            // Senders that end the stream and omit the last 0.
            ("f3 48 cd c9 c9 07 00", "Hello"),
            // Two consecutive streams.
            ("f3 48 cd c9 c9 07 00 f2 48 cd c9 c9 07 00", "HelloHello"),
        ])
    func readsExamples(digits: String, text: String) throws {
        #expect(try inflate(hex(digits)) == text)
    }

    @Test("output of zlib with default and other settings is inflated")
    func readsZlib() throws {
        let sentence = "the quick brown fox jumps over the lazy dog, again and again. "
        let text =
            #"{"message":{"id":"0190f5c2b1d87a3e9c4d5e6f70819203","text":""# + String(repeating: sentence, count: 3)
            + #""}}"#
        let rest = """
            8b5b0e82301000afb2d96f625a1e42b9cdd26e6b555aa54550c2ddd57808ff2699990d474e891c63bfa137d8a3904ad8469783345d\
            4b152b5d9b868fb6159d54a5a8b0c0cc6bfe94f9c4709fbdbec030c525808d2b9ce7f196203e7882afbed2eb0926ba02c8910f40c1\
            fce800ffbc71dfdf00
            """
        #expect(try inflate(hex("c4" + rest)) == text)
        // The same with the last block marked as final (Z_FINISH).
        #expect(try inflate(hex("c5" + rest)) == text)
        // Level 0: stored, not compressed.
        let count = UInt16(text.utf8.count)
        let length = [UInt8(count & 0xFF), UInt8(count >> 8)]
        #expect(try inflate([0] + length + length.map { ~$0 } + Array(text.utf8) + [0]) == text)
    }

    @Test("a damaged or truncated stream is rejected or gives its content, but never traps")
    func refusesDamage() {
        #expect(throws: WebSocketViolation.notDeflated) { try inflate([]) }
        #expect(throws: WebSocketViolation.notDeflated) { try inflate([0x07]) }
        #expect(throws: WebSocketViolation.notDeflated) { try inflate(hex("f2 48 cd c9")) }
        #expect(throws: WebSocketViolation.notDeflated) { try inflate(hex("00 05 00 fa fe 48 65 6c 6c 6f 00")) }
        // A copy from before the start.
        #expect(throws: WebSocketViolation.notDeflated) { try inflate(hex("02 13 00 00")) }
        var generator = SeededGenerator(77)
        for _ in 0..<20_000 {
            let bytes = generator.bytes(Int.random(in: 0...60, using: &generator))
            if let text = try? PerMessageDeflate.inflate(ByteBuffer(bytes: bytes), maximumBytes: 300) {
                #expect(text.readableBytes <= 300, "seed 77")
            }
        }
    }

    @Test("inflating stops at the maximum", arguments: [1, 255, 256, 257, 1000, 65_536])
    func boundsInflating(maximum: Int) throws {
        let exact = try #require(Zlib.deflate(ByteBuffer(repeating: 97, count: maximum), windowBits: 15))
        #expect(try inflate(exact.array, maximumBytes: maximum).utf8.count == maximum)
        for count in [maximum + 1, maximum * 100] {
            let bomb = try #require(Zlib.deflate(ByteBuffer(repeating: 97, count: count), windowBits: 15))
            #expect(throws: WebSocketViolation.tooLarge(maximumBytes: maximum)) {
                try inflate(bomb.array, maximumBytes: maximum)
            }
        }
        // Many small streams are bounded like one.
        let streams = [[UInt8]](repeating: hex("f3 48 cd c9 c9 07 00"), count: maximum).flatMap(\.self) + [0]
        #expect(throws: WebSocketViolation.tooLarge(maximumBytes: maximum)) {
            try inflate(streams, maximumBytes: maximum)
        }
    }

    // MARK: Compressing

    @Test(
        "compression round-trips by zlib and by a naive inflater, within the promised window",
        arguments: [1, 2, 3] as [UInt64])
    func roundTrips(seed: UInt64) throws {
        var generator = SeededGenerator(seed)
        for _ in 0..<60 {
            // A few letters and copies from far back, so that matches of all distances occur.
            var bytes: [UInt8] = []
            let count = Int.random(in: PerMessageDeflate.minimumBytes...20_000, using: &generator)
            while bytes.count < count {
                if bytes.count > 50, Bool.random(using: &generator) {
                    let start = Int.random(in: 0..<bytes.count - 40, using: &generator)
                    bytes += bytes[start..<start + 40]
                } else {
                    bytes += generator.bytes(Int.random(in: 1...20, using: &generator)).map { 97 + $0 % 26 }
                }
            }
            let payload = ByteBuffer(bytes: bytes)
            let deflated = try #require(PerMessageDeflate.compress(payload), "seed \(seed)")
            #expect(deflated.readableBytes < payload.readableBytes)
            #expect(Zlib.inflate(deflated, maximumBytes: bytes.count) == .complete(payload), "seed \(seed)")
            let naive = try NaiveInflater(deflated.array)
            #expect(naive.output == bytes, "seed \(seed)")
            #expect(naive.farthest <= 1 << PerMessageDeflate.serverWindowBits, "seed \(seed)")
        }
    }

    @Test("every client window is inflated", arguments: Int32(9)...15)
    func readsAllWindows(windowBits: Int32) throws {
        var generator = SeededGenerator(9)
        let far = generator.bytes(6000)
        let payload = ByteBuffer(bytes: far + far)
        let deflated = try #require(Zlib.deflate(payload, windowBits: windowBits))
        #expect(Zlib.inflate(deflated, maximumBytes: 20_000) == .complete(payload))
        // Copies reach as far back as the window allows, so the naive reader would notice one that reaches too far.
        #expect(try (NaiveInflater(deflated.array).farthest == 6000) == (windowBits >= 13))
    }

    @Test("short and incompressible payloads are not compressed")
    func leavesShortAlone() {
        #expect(PerMessageDeflate.compress(ByteBuffer()) == nil)
        #expect(PerMessageDeflate.compress(ByteBuffer(repeating: 97, count: PerMessageDeflate.minimumBytes - 1)) == nil)
        #expect(PerMessageDeflate.compress(ByteBuffer(repeating: 97, count: PerMessageDeflate.minimumBytes)) != nil)
        var generator = SeededGenerator(10)
        #expect(PerMessageDeflate.compress(ByteBuffer(bytes: generator.bytes(5000))) == nil)
    }
}
