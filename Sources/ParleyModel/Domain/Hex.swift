/// Hexadecimal digits.
package enum Hex {
    /// Two lower-case digits for each byte.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
    }

    /// The byte of two ASCII digits in either case; `nil` unless both are digits.
    package static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
        guard let high = value(of: high), let low = value(of: low) else { return nil }
        return high << 4 | low
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
