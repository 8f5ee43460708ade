/// Reads cookies as Django Channels does: only the first `Cookie` line counts, names are case-sensitive, the last of
/// several with one name wins, a quoted value is unquoted.
package enum CookieHeader {
    /// The value of a cookie, possibly empty; `nil` if it is absent.
    /// - Parameter lines: the request's `Cookie` lines in order.
    package static func value(of name: String, in lines: [String]) -> String? {
        guard let line = lines.first else { return nil }
        var found: String?
        for chunk in line.utf8.split(separator: UInt8(ascii: ";")) {
            guard let equals = chunk.firstIndex(of: UInt8(ascii: "=")) else { continue }
            guard trimmed(chunk[..<equals]) == name else { continue }
            found = unquoted(trimmed(chunk[chunk.index(after: equals)...]))
        }
        return found
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> String {
        var bytes = bytes
        while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return String(Substring(bytes))
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }

    /// As Python's `http.cookies`: within quotes, `\ooo` is an octal character code and `\x` is `x`.
    private static func unquoted(_ value: String) -> String {
        let scalars = Array(value.unicodeScalars)
        guard scalars.count >= 2, scalars.first == "\"", scalars.last == "\"" else { return value }
        var text = String.UnicodeScalarView()
        var rest = scalars.dropFirst().dropLast()
        while let scalar = rest.popFirst() {
            guard scalar == "\\", let next = rest.first else {
                text.append(scalar)
                continue
            }
            if let code = octal(rest.prefix(3)) {
                text.append(code)
                rest = rest.dropFirst(3)
            } else {
                text.append(next)
                rest = rest.dropFirst()
            }
        }
        return String(text)
    }

    private static func octal(_ digits: ArraySlice<Unicode.Scalar>) -> Unicode.Scalar? {
        guard digits.count == 3, digits.allSatisfy({ ("0"..."7").contains($0) }) else { return nil }
        let code = digits.reduce(0 as UInt32) { $0 * 8 + ($1.value - 0x30) }
        return code <= 0xFF ? Unicode.Scalar(code) : nil
    }
}
