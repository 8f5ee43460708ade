/// Parts of HTTP header syntax (RFC 9110 §5.6).
enum HTTPText {
    /// The text without surrounding white space (space and tab).
    static func trim(_ text: Substring) -> Substring {
        guard let first = text.firstIndex(where: { !isSpace($0) }),
            let last = text.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return text[first...last]
    }

    /// Whether a text is a token (§5.6.2): one or more letters, digits and certain marks.
    static func isToken(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default:
                    "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    private static func isSpace(_ character: Character) -> Bool {
        character == " " || character == "\t"
    }
}
