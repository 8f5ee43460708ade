import Foundation
import ParleyAccounts
import Testing

@Suite("base64url")
struct Base64URLTests {
    @Test("equals Foundation's encoding without padding", arguments: 0..<70)
    func sameAsFoundation(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) }
        let expected = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
        #expect(Base64URL.encode(bytes) == expected)
        #expect(Base64URL.decode(expected) == bytes)
    }

    @Test(
        "has exactly one text for each byte string",
        arguments: ["A", "AB", "AAB", "AA==", "A+/A", "AA A", "AAAAA", "ÄÄ"])
    func strict(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
