/// The sizes of elements of a listpack, the format of the nodes of a stream: they decide where a node ends, and so what
/// an approximate trim removes.
enum ListpackSize {
    /// The header and the end of an empty listpack.
    static let empty = 7

    static func integer(_ number: Int64) -> Int {
        let encoded =
            switch number {
            case 0...127: 1
            case -4096...4095: 2
            case -32768...32767: 3
            case -8_388_608...8_388_607: 4
            case -2_147_483_648...2_147_483_647: 5
            default: 9
            }
        return encoded + length(of: encoded)
    }

    /// A text that is an integer is stored as one.
    static func string(_ bytes: Bytes) -> Int {
        if let number = Int64(canonical: bytes) { return integer(number) }
        let encoded = bytes.count + (bytes.count < 64 ? 1 : bytes.count < 4096 ? 2 : 5)
        return encoded + length(of: encoded)
    }

    /// The size of the length behind an element.
    private static func length(of encoded: Int) -> Int {
        switch encoded {
        case ...127: 1
        case ..<16_383: 2
        case ..<2_097_151: 3
        case ..<268_435_455: 4
        default: 5
        }
    }
}

extension Int64 {
    /// Reads an integer in the one form that Redis accepts: no sign `+`, no leading zeros, no spaces.
    init?(canonical bytes: some Collection<UInt8>) {
        // Nothing is called more often: each length of a request and a reply is one.
        let isNegative = bytes.first == UInt8(ascii: "-")
        let digits = bytes.dropFirst(isNegative ? 1 : 0)
        guard 1...19 ~= digits.count, let first = digits.first,
            first != UInt8(ascii: "0") || (digits.count == 1 && !isNegative)
        else { return nil }
        var number: Int64 = 0
        for digit in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            // Below zero, where the range has one number more.
            let (tens, overflows) = number.multipliedReportingOverflow(by: 10)
            let (sum, isBelow) = tens.subtractingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
            guard !overflows, !isBelow else { return nil }
            number = sum
        }
        guard isNegative || number != .min else { return nil }
        self = isNegative ? number : -number
    }
}
