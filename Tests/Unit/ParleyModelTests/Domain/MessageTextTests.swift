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
                let violation: MessageText.Violation? = text.unicodeScalars.count > limit ? .tooLong(limit: limit) : nil
                #expect(MessageText.violation(in: text, limit: limit) == violation, "\(count) × \(unit) with \(limit)")
            }
        }
    }

    @Test("4096 characters of four bytes each are allowed, one more is not")
    func defaultLimit() {
        let limit = Limits().textScalars
        #expect(limit == 4096)
        #expect(MessageText.violation(in: String(repeating: "😀", count: 4096), limit: limit) == nil)
        #expect(MessageText.violation(in: String(repeating: "😀", count: 4097), limit: limit) == .tooLong(limit: 4096))
    }

    @Test(
        "an empty text and a text with NUL are not allowed",
        arguments: [("", MessageText.Violation.empty), ("a\0b", .containsNUL)])
    func refuses(text: String, violation: MessageText.Violation) {
        #expect(MessageText.violation(in: text, limit: 10) == violation)
    }

    @Test("white space is a valid text", arguments: [" ", "\n", "\u{1}"])
    func allows(text: String) {
        #expect(MessageText.violation(in: text, limit: 10) == nil)
    }

    @Test(
        "every violation explains what is allowed",
        arguments: [MessageText.Violation.empty, .tooLong(limit: 17), .containsNUL])
    func explains(violation: MessageText.Violation) {
        #expect(violation.explanation.contains("allowed"))
        if case .tooLong(let limit) = violation { #expect(violation.explanation.contains("\(limit)")) }
    }
}
