import ParleyModel
import ParleyTestSupport
import Testing

@Suite struct IdentifierTests {
    @Test(
        "letters, digits, dot, underscore and hyphen make an identifier",
        arguments: ["a", "Z", "0", ".", "_", "-", "018f3a.User-7_x", String(repeating: "x", count: 90)])
    func allows(text: String) {
        #expect(UserID(text)?.text == text)
        #expect(UserID(text)?.description == text)
    }

    @Test(
        "nothing else makes an identifier",
        arguments: [
            "", " ", "a b", "a/b", "a:b", "a\n", "a\0", "ä", "e\u{301}", "😀", "a+b", "@", "[", "`", "{", "/", ":",
            String(repeating: "x", count: 91),
        ])
    func refuses(text: String) {
        #expect(UserID(text) == nil)
    }

    @Test("65 ASCII characters are allowed")
    func countsCharacters() {
        let allowed = (0..<128).filter { ThreadID(String(UnicodeScalar(UInt8($0)))) != nil }
        #expect(allowed.count == 26 + 26 + 10 + 3)
    }

    @Test("an identifier made from a UUID is its 32 hex digits")
    func fromUUID() {
        var generator = SeededGenerator(1)
        let uuid = UUIDv7(milliseconds: 1, using: &generator)
        #expect(MessageID(uuid).text == uuid.description)
        #expect(MessageID(uuid.description) == MessageID(uuid))
    }
}
