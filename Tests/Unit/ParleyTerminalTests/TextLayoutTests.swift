import ParleyTerminal
import Testing

@Suite struct TextLayoutTests {
    @Test(
        "columns of a text",
        arguments: [
            ("", 0), ("abc", 3), ("Ärger", 5), ("e\u{301}", 1), ("日本", 4), ("한국", 4), ("ｆｕｌｌ", 8), ("👍", 2), ("👍🏽", 2),
            ("👨‍👩‍👧", 2), ("🇨🇭", 2), ("❤", 1), ("1\u{20E3}", 1), ("नि", 2), ("│─✓…", 4), ("\u{200D}", 0),
        ])
    func width(_ text: String, _ columns: Int) {
        #expect(DisplayWidth.of(text) == columns)
    }

    @Test(
        "lines break at spaces, between wide characters, and inside of words that are too long",
        arguments: [
            ("", 5, [""]), ("one two three", 7, ["one two", "three"]),
            ("one two three", 3, ["one", "two", "thr", "ee"]),
            ("abcdefgh", 3, ["abc", "def", "gh"]), ("日本語テキスト", 5, ["日本", "語テ", "キス", "ト"]),
            ("ab日本", 3, ["ab", "日", "本"]), ("a\n\nb", 5, ["a", "", "b"]), ("one   two", 4, ["one", "two"]),
            ("日", 1, ["日"]), ("a 日本", 4, ["a 日", "本"]), ("end ", 3, ["end"]),
        ] as [(String, Int, [String])])
    func wrap(_ text: String, _ width: Int, _ lines: [String]) {
        #expect(TextLayout.wrap(text, width: width) == lines)
    }

    @Test("no line is wider than it may be, and nothing but spaces is lost")
    func anyText() {
        let texts = [
            "the quick brown fox jumps over the lazy dog", "日本語 and English 混在 text 👍👍👍 ok", "x  y   z    ", "a日b本c語d",
            "👨‍👩‍👧👨‍👩‍👧 emoji 🇨🇭🇩🇪", "  leading",
        ]
        for text in texts {
            for width in 2...30 {
                for first in [width, 2, width + 5] {
                    let lines = TextLayout.wrap(text, width: width, first: first)
                    for (index, line) in lines.enumerated() {
                        #expect(DisplayWidth.of(line) <= (index == 0 ? first : width), "\(text) \(width) \(line)")
                    }
                    #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " }, "\(width) \(lines)")
                }
            }
        }
    }

    @Test("the first line may be shorter")
    func first() {
        #expect(TextLayout.wrap("one two three", width: 9, first: 4) == ["one", "two three"])
    }

    @Test("a cut text ends with an ellipsis and is not too wide")
    func cut() {
        #expect(TextLayout.cut("Garden", to: 6) == "Garden")
        #expect(TextLayout.cut("Gardens", to: 6) == "Garde…")
        #expect(TextLayout.cut("日本語", to: 4) == "日…")
        #expect(TextLayout.cut("abc", to: 0) == "")
    }
}
