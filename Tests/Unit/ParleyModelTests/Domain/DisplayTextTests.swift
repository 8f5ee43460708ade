import ParleyModel
import Testing

@Suite struct DisplayTextTests {
    @Test(
        "what is read as it is written may be chosen, with the joiners and selectors that emoji and scripts need",
        arguments: [
            "Tea", "Zoë", "Кафе", "日本語", "שלום", "مرحبا", "a b", ".", "👩‍👩‍👧", "👩🏽‍🚀", "❤️", "🏳️‍🌈", "1️⃣", "☎︎", "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
            "می\u{200C}خواهم", "क्\u{200D}ष", "क्\u{200C}ष", "ഡോക്ടർ", "ര്\u{200D}", "葛\u{E0100}", "ᠮᠣᠩᠭ\u{180B}ᠣᠯ",
            "e\u{301}", "\u{2200}\u{FE00}",
        ])
    func allowed(text: String) {
        #expect(DisplayText.violation(in: text) == nil)
        #expect(DisplayText.marked(text) == text)
    }

    @Test(
        "what changes the direction, shows nothing or hides something may not",
        arguments: [
            ("", .nothingVisible, ""), (" \u{3000}", .nothingVisible, " \u{3000}"),
            ("\u{2800}", .nothingVisible, "‹U+2800›"), ("\u{1D159}", .nothingVisible, "‹U+1D159›"),
            ("\u{1FFFE}", .nothingVisible, "‹U+1FFFE›"), ("\u{3164}", .invisible, "‹U+3164›"),
            ("\u{115F}\u{1160}", .invisible, "‹U+115F›‹U+1160›"), ("\u{200B}", .invisible, "‹U+200B›"),
            ("ann\u{200B}", .invisible, "ann‹U+200B›"), ("ann\u{FE0F}", .invisible, "ann‹U+FE0F›"),
            ("a\u{200D}b", .invisible, "a‹U+200D›b"), ("ann\u{200D}", .invisible, "ann‹U+200D›"),
            ("1\u{FE0F}", .invisible, "1‹U+FE0F›"), ("so\u{AD}ft", .invisible, "so‹U+00AD›ft"),
            ("a\u{E0061}\u{E007F}", .invisible, "a‹U+E0061›‹U+E007F›"), ("👍\u{E0061}", .invisible, "👍‹U+E0061›"),
            ("\u{FEFF}x", .invisible, "‹U+FEFF›x"), ("مرحبا\u{200D}x", .invisible, "مرحبا‹U+200D›x"),
            ("evil\u{202E}txt", .direction, "evil‹U+202E›txt"),
            ("a\u{2066}b\u{2069}", .direction, "a‹U+2066›b‹U+2069›"),
            ("\u{200F}a", .direction, "‹U+200F›a"), ("\u{61C}a", .direction, "‹U+061C›a"),
        ] as [(String, DisplayText.Violation, String)])
    func refused(text: String, violation: DisplayText.Violation, marked: String) {
        #expect(DisplayText.violation(in: text) == violation)
        #expect(DisplayText.marked(text) == marked)
    }

    @Test("in a marked text nothing is left that cannot be seen, whatever the text is")
    func everyScalar() {
        for value in UInt32(0x80)...0xE1000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let marked = DisplayText.marked("a" + String(scalar) + "b")
            for shown in marked.unicodeScalars {
                #expect(!shown.properties.isBidiControl, "\(value)")
                #expect(!shown.properties.isDefaultIgnorableCodePoint, "\(value)")
            }
        }
    }

    @Test("display names are checked, and profiles without one are not")
    func profiles() {
        #expect(Profile(displayName: "Ann \u{202E}").violation != nil)
        #expect(Profile(displayName: "\u{3164}").violation != nil)
        #expect(Profile(displayName: "Ann ❤️").violation == nil)
        #expect(Profile().violation == nil)
    }
}
