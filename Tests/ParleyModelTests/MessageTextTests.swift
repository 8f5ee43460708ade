import ParleyModel
import Testing

@Suite struct MessageTextTests {
    @Test(
        "a text may be as long as the limit, in scalars and not in bytes or characters",
        arguments: ["a", "ä", "\u{20AC}", "😀", "e\u{301}", "👨‍👩‍👧"])
    func limit(unit: String) {
        for limit in 1...12 {
            for count in 1...12 {
                let text = String(repeating: unit, count: count)
                let flaw: MessageText.Flaw? = text.unicodeScalars.count > limit ? .tooLong(limit: limit) : nil
                #expect(MessageText.flaw(in: text, limit: limit) == flaw, "\(count) × \(unit) with \(limit)")
            }
        }
    }

    @Test("4096 characters of four bytes each are allowed, one more is not")
    func defaultLimit() {
        let limit = Limits().textScalars
        #expect(limit == 4096)
        #expect(MessageText.flaw(in: String(repeating: "😀", count: 4096), limit: limit) == nil)
        #expect(MessageText.flaw(in: String(repeating: "😀", count: 4097), limit: limit) == .tooLong(limit: 4096))
    }

    @Test("an empty text and NUL are not allowed", arguments: [("", MessageText.Flaw.empty), ("a\0b", .containsNUL)])
    func refuses(text: String, flaw: MessageText.Flaw) {
        #expect(MessageText.flaw(in: text, limit: 10) == flaw)
    }

    @Test("white space is a text", arguments: [" ", "\n", "\u{1}"])
    func allows(text: String) {
        #expect(MessageText.flaw(in: text, limit: 10) == nil)
    }

    @Test("every flaw says what is allowed", arguments: [MessageText.Flaw.empty, .tooLong(limit: 17), .containsNUL])
    func explains(flaw: MessageText.Flaw) {
        #expect(flaw.explanation.contains("allowed"))
        if case .tooLong(let limit) = flaw { #expect(flaw.explanation.contains("\(limit)")) }
    }
}
