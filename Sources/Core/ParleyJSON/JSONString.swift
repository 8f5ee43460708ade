/// Decodes the content of a JSON string (RFC 8259 §7).
package enum JSONString {
    /// The treatment of an escaped unpaired surrogate, which no Swift string can hold.
    package enum LoneSurrogates: Sendable {
        /// It is an error, `JSONError.loneSurrogate`.
        case refused
        /// It becomes U+FFFD; for texts written by lenient programs.
        case replaced
    }

    /// Decodes a string; strict otherwise: the bytes must be UTF-8, and control characters escaped.
    /// - Parameter start: the index after the opening quotation mark.
    /// - Returns: the text, and the index after the closing quotation mark.
    package static func read(
        _ bytes: [UInt8], from start: Int, loneSurrogates: LoneSurrogates = .refused
    ) throws(JSONError) -> (text: String, end: Int) {
        // Returns a `Result`: a throwing closure would have to be generic over its error.
        try bytes.withUnsafeBufferPointer { read($0, from: start, loneSurrogates) }.get()
    }

    private static func read(
        _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ loneSurrogates: LoneSurrogates
    ) -> Result<(text: String, end: Int), JSONError> {
        var index = start
        var hasEscape = false
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                let content = UnsafeBufferPointer(rebasing: bytes[start..<index])
                let end = index + 1
                if hasEscape { return unescape(content, offset: start, loneSurrogates).map { ($0, end) } }
                guard let text = String(utf8: content) else { return .failure(.notUTF8) }
                return .success((text, end))
            }
            if byte < 0x20 { return .failure(.syntax(at: index)) }
            if byte == UInt8(ascii: "\\") {
                hasEscape = true
                index += 2
            } else {
                index += 1
            }
        }
        return .failure(.endsEarly)
    }

    /// - Parameters:
    ///   - content: contains no control character, and does not end with a backslash.
    ///   - offset: the index of `content`, for errors.
    private static func unescape(
        _ content: UnsafeBufferPointer<UInt8>, offset: Int, _ loneSurrogates: LoneSurrogates
    ) -> Result<String, JSONError> {
        var text: [UInt8] = []
        // An escape is never shorter than the text it encodes.
        text.reserveCapacity(content.count)
        var index = 0
        while index < content.count {
            let byte = content[index]
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                index += 1
                continue
            }
            let letter = content[index + 1]
            if letter != UInt8(ascii: "u") {
                guard let plain = plain(letter) else { return .failure(.syntax(at: offset + index + 1)) }
                text.append(plain)
                index += 2
                continue
            }
            guard let unit = codeUnit(content, at: index) else { return .failure(.syntax(at: offset + index)) }
            index += 6
            var value = UInt32(unit)
            if UTF16.isLeadSurrogate(unit), let trail = codeUnit(content, at: index), UTF16.isTrailSurrogate(trail) {
                value = 0x10000 + (UInt32(unit) & 0x3FF) << 10 + UInt32(trail) & 0x3FF
                index += 6
            }
            // An unpaired surrogate is not a scalar.
            let scalar: Unicode.Scalar
            switch (Unicode.Scalar(value), loneSurrogates) {
            case (let whole?, _): scalar = whole
            case (nil, .replaced): scalar = "\u{FFFD}"
            case (nil, .refused): return .failure(.loneSurrogate)
            }
            text.append(contentsOf: scalar.utf8)
        }
        guard let string = text.withUnsafeBufferPointer({ String(utf8: $0) }) else { return .failure(.notUTF8) }
        return .success(string)
    }

    private static func plain(_ letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    /// The UTF-16 code unit of the `\uXXXX` at `index`, if there is one.
    private static func codeUnit(_ content: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt16? {
        guard index + 6 <= content.count, content[index] == UInt8(ascii: "\\"), content[index + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt16 = 0
        for position in index + 2..<index + 6 {
            guard let digit = hexDigit(content[position]) else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
