import ParleyTerminal
import Testing

@Suite struct SafeTextTests {
    @Test("no control character gets through, whatever the text is")
    func everyScalar() {
        for value in UInt32(0)...0x2FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = "a" + String(scalar) + "b"
            for safe in [SafeText.line(text), SafeText.lines(text), SafeText.marked(text)] {
                for scalar in safe.unicodeScalars where scalar != "\n" {
                    #expect(scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value), "\(value)")
                    #expect(!scalar.properties.isBidiControl, "\(value)")
                }
                #expect(safe.hasPrefix("a") && safe.hasSuffix("b") || value > 0x7F, "\(value)")
            }
            #expect(!SafeText.line(text).contains("\n"))
        }
    }

    @Test(
        "what a terminal would execute is shown or removed",
        arguments: [
            ("\u{1B}[31mred", "␛[31mred"), ("\u{9B}2J", "\u{FFFD}2J"), ("a\u{202E}b", "ab"),
            ("a\u{2066}b\u{2069}", "ab"),
            ("bell\u{07}", "bell␇"), ("a\tb", "a    b"), ("del\u{7F}", "del␡"), ("zero\u{200B}width", "zerowidth"),
            ("plain Ä 日本 👍", "plain Ä 日本 👍"), ("👨‍👩‍👧", "👨‍👩‍👧"), ("❤\u{FE0F}", "❤"),
        ])
    func examples(_ text: String, _ safe: String) {
        #expect(SafeText.line(text) == safe)
    }

    @Test(
        "in names and titles what cannot be seen is marked",
        arguments: [
            ("alice\u{3164}", "alice‹U+3164›"), ("ann\u{200B}", "ann‹U+200B›"), ("evil\u{202E}txt", "evil‹U+202E›txt"),
            ("\u{2800}", "‹U+2800›"), ("👩‍🚀", "👩‍🚀"), ("❤\u{FE0F}", "❤"), ("a\nb\u{1B}", "a b␛"), ("Zoë 日本", "Zoë 日本"),
        ])
    func names(_ text: String, _ safe: String) {
        #expect(SafeText.name(text) == safe)
    }

    @Test("line breaks are kept, marked or become spaces")
    func lineBreaks() {
        let text = "one\r\ntwo\u{2028}three\u{85}four"
        #expect(SafeText.lines(text) == "one\ntwo\nthree\nfour")
        #expect(SafeText.line(text) == "one two three four")
        #expect(SafeText.marked(text) == "one ⏎ two ⏎ three ⏎ four")
    }

    @Test("marks cannot be stacked over other lines")
    func marks() {
        let text = "Z" + String(repeating: "\u{0301}", count: 100)
        #expect(SafeText.line(text).unicodeScalars.count <= 9)
    }
}
