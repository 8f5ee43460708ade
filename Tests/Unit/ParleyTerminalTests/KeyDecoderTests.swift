import ParleyTerminal
import Testing

@Suite struct KeyDecoderTests {
    static let keys: [(String, [Key])] = [
        ("a", [.text("a")]), ("é日👍", [.text("é"), .text("日"), .text("👍")]), ("\r", [.enter]), ("\n", [.newline]),
        ("\u{1B}\r", [.newline]), ("\t", [.tab]), ("\u{1B}[Z", [.backTab]), ("\u{7F}", [.backspace]),
        ("\u{08}", [.backspace]), ("\u{1B}[A\u{1B}[B", [.up, .down]), ("\u{1B}OC\u{1B}OD", [.right, .left]),
        ("\u{1B}[1;5C\u{1B}[1;3D", [.wordRight, .wordLeft]), ("\u{1B}b\u{1B}f", [.wordLeft, .wordRight]),
        ("\u{1B}[1;3A\u{1B}[1;5B", [.previous, .next]),
        ("\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~", [.home, .end, .home, .end]),
        ("\u{1B}[3~", [.delete]), ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]),
        ("\u{01}\u{11}", [.control("a"), .control("q")]),
        ("\u{1B}a", [.alt("a")]), ("\u{1B}é", [.alt("é")]),
        ("\u{1B}OP\u{1B}[11~\u{1B}[15~", [.function(1), .function(1), .function(5)]),
        ("\u{1B}[200~a\r\n\u{1B}[31mb\u{1B}[201~c", [.paste("a\r\n\u{1B}[31mb"), .text("c")]),
        ("\u{1B}[99;99zx", [.text("x")]), ("\u{1B}[I\u{1B}[Ox", [.text("x")]), ("\u{9B}x", [.text("x")]),
        ("\0x", [.text("x")]),
        ("\u{1B}\u{7F}", [.control("w")]), ("\u{1B}[200~\u{1B}[201~", [.paste("")]),
    ]

    @Test("keys are the same however the bytes are divided", arguments: keys)
    func divided(_ text: String, _ keys: [Key]) {
        let bytes = Array(text.utf8)
        for split in 0...bytes.count {
            var decoder = KeyDecoder()
            #expect(decoder.feed(Array(bytes[..<split])) + decoder.feed(Array(bytes[split...])) == keys, "\(split)")
        }
        var decoder = KeyDecoder()
        #expect(bytes.flatMap { decoder.feed([$0]) } == keys)
        #expect(!decoder.isWaiting)
    }

    @Test("an escape with nothing after it is the key")
    func escape() {
        var decoder = KeyDecoder()
        #expect(decoder.feed([0x1B]) == [] && decoder.isWaiting)
        #expect(decoder.flush() == [.escape] && !decoder.isWaiting)
        #expect(decoder.feed([0x1B, 0x1B]) == [.escape])
        #expect(decoder.flush() == [.escape])
        #expect(decoder.feed([0x1B, 0x5B]) == [])
        #expect(decoder.flush() == [.alt("[")])
    }

    @Test("bytes that are no UTF-8 are left out")
    func invalid() {
        var decoder = KeyDecoder()
        #expect(
            decoder.feed([0xFF, 0x61, 0xC3, 0x62, 0xE2, 0x82, 0x63, 0xED, 0xA0, 0x80, 0x64])
                == ["a", "b", "c", "d"].map { .text($0) })
    }

    @Test("what never ends takes no memory")
    func endless() {
        var decoder = KeyDecoder()
        _ = decoder.feed(Array("\u{1B}[".utf8) + Array(repeating: 0x31, count: 10_000))
        #expect(decoder.feed(Array("x".utf8)) == [.text("x")])
        _ = decoder.feed(Array("\u{1B}[200~".utf8))
        for _ in 0..<100 { _ = decoder.feed(Array(repeating: 0x61, count: 10_000)) }
        guard case .paste(let text) = decoder.feed(Array("\u{1B}[201~".utf8)).first else {
            Issue.record("no paste")
            return
        }
        #expect(text.utf8.count == 400_000)
    }

    @Test("no bytes make it fail", arguments: 0..<200)
    func random(_ seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
        var decoder = KeyDecoder()
        for _ in 0..<200 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let pool: [UInt8] = [0x1B, 0x5B, 0x4F, 0x32, 0x30, 0x7E, 0x3B, 0xC3, 0xA4, 0xFF, 0x0D, 0x41]
            _ = decoder.feed([pool[Int(state >> 33) % pool.count]])
            if state & 0x700 == 0 { _ = decoder.flush() }
        }
    }
}
