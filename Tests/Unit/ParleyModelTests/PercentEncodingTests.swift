import ParleyModel
import Testing

@Suite("Percent-encoding") struct PercentEncodingTests {
    @Test(
        "is decoded, in either case, and everything else is kept",
        arguments: [
            ("", ""), ("abc+ü", "abc+ü"), ("a%20b", "a b"), ("%2f%2F", "//"), ("%25%32%30", "%20"), ("%C3%bC", "ü"),
        ])
    func decoded(encoded: String, text: String) {
        #expect(PercentEncoding.decode(encoded.utf8) == Array(text.utf8))
    }

    @Test(
        "a % without two hex digits is an error", arguments: ["%", "%2", "a%zz", "%+5", "%-1", "%2%20", "% 20", "%ü"])
    func invalid(encoded: String) {
        #expect(PercentEncoding.decode(encoded.utf8) == nil)
    }

    @Test("every byte is decoded from its two digits, and no other character is a digit")
    func bytes() {
        for byte in UInt8.min...UInt8.max {
            let digits = Hex.encode([byte])
            #expect(PercentEncoding.decode("%\(digits)".utf8) == [byte])
            #expect(PercentEncoding.decode("%\(digits.uppercased())".utf8) == [byte])
            let isDigit = "0123456789abcdefABCDEF".utf8.contains(byte)
            #expect((PercentEncoding.decode([UInt8(ascii: "%"), byte, UInt8(ascii: "0")]) != nil) == isDigit)
        }
    }
}
