/// Validation of UTF-8 (RFC 3629) without building a string.
///
/// The standard library's `UTF8Span` does this too, but needs a newer macOS than the package requires.
package enum UTF8Check {
    /// RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF, nothing truncated.
    package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if index + 8 <= bytes.count,
                bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
            {
                index += 8
                continue
            }
            let length = scalarLength(bytes, at: index)
            guard length > 0 else { return false }
            index += length
        }
        return true
    }

    /// The length in bytes of the scalar at `index`; 0 if it is invalid (Unicode 15.0, table 3-7).
    private static func scalarLength(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
        let first = bytes[index]
        let length: Int
        // The second byte shows whether the form is overlong, a surrogate, or above U+10FFFF.
        let second: ClosedRange<UInt8>
        switch first {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return 0
        }
        guard index + length <= bytes.count, second.contains(bytes[index + 1]) else { return 0 }
        for position in index + 2..<index + length where bytes[position] & 0xC0 != 0x80 { return 0 }
        return length
    }
}
