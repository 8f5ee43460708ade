import ParleyModel
import Testing

@Suite struct FNV1a128Tests {
    @Test(
        "the published test vectors match",
        arguments: [
            // The offset basis, then test vectors of Go's hash/fnv and of draft-eastlake-fnv.
            ("", "6c62272e07bb014262b821756295c58d"), ("a", "d228cb696f1a8caf78912b704e4a8964"),
            ("ab", "08809544bbab1be95aa0733055b69a62"), ("abc", "a68d622cec8b5822836dbc7977af7f3b"),
            ("foobar", "343e1662793c64bf6f0d3597ba446f18"),
        ])
    func vectors(text: String, hex: String) {
        #expect(FNV1a128.hex(of: text) == hex)
    }

    @Test("a hash has 32 digits, leading zeros included")
    func leadingZeros() {
        var withZero = 0
        for number in 0..<500 {
            let hex = FNV1a128.hex(of: "\(number)")
            #expect(hex.utf8.count == 32)
            if hex.hasPrefix("0") { withZero += 1 }
        }
        #expect(withZero > 0)
    }
}
