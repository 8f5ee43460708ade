/// Percent-encoding (RFC 3986 §2.1).
package enum PercentEncoding {
    /// Returns the decoded bytes, or `nil` if a `%` is not followed by two hex digits.
    package static func decode(_ encoded: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.underestimatedCount)
        var rest = encoded.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next(), let low = rest.next(), let byte = Hex.byte(high, low) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    /// Encodes all bytes except unreserved characters.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            if isUnreserved(byte) {
                text.append(byte)
            } else {
                text.append(UInt8(ascii: "%"))
                text += Hex.encode(CollectionOfOne(byte)).uppercased().utf8
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether a byte is an unreserved character of RFC 3986 §2.3.
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }
}
