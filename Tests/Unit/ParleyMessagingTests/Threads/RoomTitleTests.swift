import ParleyMessaging
import Testing

@Suite("Room titles")
struct RoomTitleTests {
    @Test(
        "are trimmed and otherwise unchanged",
        arguments: [
            ("a", "a"), (" a b ", "a b"), ("\u{3000}\t\r\na\u{A0}", "a"), ("e\u{301}", "e\u{301}"), ("👨‍👩‍👧", "👨‍👩‍👧"),
            (String(repeating: "ü", count: 64), String(repeating: "ü", count: 64)),
        ])
    func good(text: String, title: String) throws {
        #expect(Array(try RoomTitle(text).text.unicodeScalars) == Array(title.unicodeScalars))
    }

    @Test(
        "are rejected if invalid",
        arguments: [
            ("", RoomTitle.Violation.empty), (" \t\u{2003}", .empty), (String(repeating: "ü", count: 65), .tooLong),
            (String(repeating: "e\u{301}", count: 33), .tooLong), ("a\nb", .containsControl),
            ("a\u{7F}", .containsControl),
            ("a\u{2029}b", .containsControl), ("\u{1B}[31m", .containsControl),
        ])
    func bad(text: String, violation: RoomTitle.Violation) {
        #expect(throws: violation) { try RoomTitle(text) }
    }
}
