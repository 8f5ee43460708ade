/// The creation time encoded in a `clientID` that is a UUIDv7 in canonical text form (RFC 9562 §5.7) or a ULID.
///
/// The time is not trustworthy, since a client may write any value.
package enum ClientIDTime {
    /// Returns Unix milliseconds, 0 to 2^48 - 1, or `nil` for an id of any other form. Case-insensitive.
    package static func milliseconds(of clientID: String) -> Int64? {
        var clientID = clientID
        return clientID.withUTF8 { bytes in
            switch bytes.count {
            case 36: uuid(bytes)
            case 26: ulid(bytes)
            default: nil
            }
        }
    }

    /// Parses `tttttttt-tttt-7rrr-vrrr-rrrrrrrrrrrr` in hex digits, where `v` is 8, 9, a or b.
    private static func uuid(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        var time: Int64 = 0
        for (index, byte) in bytes.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Hex.value(of: byte).map(Int64.init) else { return nil }
            if index < 13 { time = time << 4 | digit }
            if index == 14, digit != 7 { return nil }
            if index == 19, digit & 0xC != 8 { return nil }
        }
        return time
    }

    /// Parses 26 digits of Crockford's base 32. The first ten encode the time. The first digit is at most 7, since a ULID has 128 bits.
    private static func ulid(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        var time: Int64 = 0
        for (index, byte) in bytes.enumerated() {
            guard let digit = crockfordDigit(byte) else { return nil }
            if index == 0, digit > 7 { return nil }
            if index < 10 { time = time << 5 | digit }
        }
        return time
    }

    /// The letters I, L, O and U are not digits.
    private static func crockfordDigit(_ byte: UInt8) -> Int64? {
        let letter = byte >= UInt8(ascii: "a") ? byte &- 32 : byte
        switch letter {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return Int64(letter - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "H"): return Int64(letter - UInt8(ascii: "A")) + 10
        case UInt8(ascii: "J")...UInt8(ascii: "K"): return Int64(letter - UInt8(ascii: "J")) + 18
        case UInt8(ascii: "M")...UInt8(ascii: "N"): return Int64(letter - UInt8(ascii: "M")) + 20
        case UInt8(ascii: "P")...UInt8(ascii: "T"): return Int64(letter - UInt8(ascii: "P")) + 22
        case UInt8(ascii: "V")...UInt8(ascii: "Z"): return Int64(letter - UInt8(ascii: "V")) + 27
        default: return nil
        }
    }
}
