/// Percent-encoding (RFC 3986 §2.1).
package enum PercentEncoding {
    /// The bytes that an encoded text stands for; `nil` if a `%` is not followed by two hex digits.
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
}
