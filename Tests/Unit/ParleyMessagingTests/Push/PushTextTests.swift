import ParleyJSON
import ParleyMessaging
import ParleyTestSupport
import Testing

@Suite("Texts of pushes")
struct PushTextTests {
    @Test(
        "are cut at a character, with an ellipsis",
        arguments: [
            ("hello", 5, "hello"), ("hello!", 5, "he…"), ("", 0, ""), ("a", 0, ""), ("abcd", 3, "…"), ("abc", 3, "abc"),
            ("abcd", 2, ""),
            // Escapes count as they are written.
            ("\"\"\"", 6, "\"\"\""), ("\"\"\"", 5, "\"…"), ("\u{1}\u{1}", 12, "\u{1}\u{1}"),
            ("\u{1}\u{1}", 11, "\u{1}…"),
            ("a\nb", 4, "a\nb"), ("ä\u{7F}", 3, "ä\u{7F}"),
            // A family is one character of 25 bytes, a flag one of 8, a letter with two marks one of 5.
            ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 49, "👨‍👩‍👧‍👦…"), ("👨‍👩‍👧‍👦x", 25, "…"), ("🇩🇪🇫🇷", 15, "🇩🇪…"),
            ("e\u{301}\u{302}e\u{301}\u{302}", 9, "e\u{301}\u{302}…"),
        ])
    func cut(text: String, limit: Int, expected: String) {
        #expect(PushText.cut(text, to: limit) == expected)
    }

    @Test("a letter with a thousand marks is left out as a whole")
    func marks() {
        let letter = "e" + String(repeating: "\u{301}", count: 1_000)
        #expect(PushText.cut("ab" + letter + "c", to: 100) == "ab…")
        #expect(PushText.cut(letter, to: 100) == "…")
    }

    @Test("use the room that there is, whatever they consist of", arguments: 0..<20 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let pool = ["a", "\"", "\\", "\n", "\u{1}", "ä", "漢", "🎉", "👨‍👩‍👧‍👦", "🇩🇪", "e\u{301}", "x\u{308}\u{323}", "\r\n"]
        for _ in 0..<100 {
            let text = (0..<Int.random(in: 0...60, using: &random))
                .map { _ in pool[Int.random(in: 0..<pool.count, using: &random)] }.joined()
            let limit = Int.random(in: 0...120, using: &random)
            let cut = PushText.cut(text, to: limit)
            let json = JSONTree.text(cut).json.count - 2
            #expect(json == PushText.size(cut.utf8))
            #expect(json <= limit)
            guard cut != text else { continue }
            guard limit >= 3 else {
                #expect(cut.isEmpty)
                continue
            }
            #expect(cut.hasSuffix("…"))
            let kept = cut.dropLast()
            #expect(text.hasPrefix(kept))
            let next = String(text.prefix(kept.count + 1)) + "…"
            #expect(JSONTree.text(next).json.count - 2 > limit)
        }
    }
}
