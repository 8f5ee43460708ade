import ParleyJSON

/// Decodes JSON as Python's `json.loads` does: any JSON text (RFC 8259), a byte order mark, integers of any size, and
/// the literals `NaN`, `Infinity` and `-Infinity`.
///
/// It is separate from `JSONReader` because grammar and limits differ: Python's JSON allows numbers and literals that
/// RFC 8259 forbids, duplicate names, and 1024 levels. Strings are parsed by the same code. A lone surrogate, which
/// Python keeps and Swift's strings cannot hold, becomes U+FFFD.
package struct PythonJSONReader {
    private let bytes: [UInt8]
    private var index = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Decodes one value.
    /// - Throws: `truncated`, `trailingBytes`, `tooDeep`, `invalidUTF8` or `malformed`.
    package static func decode(_ bytes: [UInt8]) throws(ChannelsCodecError) -> ChannelsValue {
        // Validates all bytes at once, so that strings need no further check.
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .invalidUTF8 }
        var reader = PythonJSONReader(bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.index = 3 }
        reader.skipSpace()
        let value = try reader.read(depth: 0)
        reader.skipSpace()
        guard reader.index == bytes.count else { throw .trailingBytes }
        return value
    }

    private mutating func read(depth: Int) throws(ChannelsCodecError) -> ChannelsValue {
        guard depth <= ChannelsValue.maximumDepth else { throw .tooDeep }
        guard let first = peek else { throw .truncated }
        switch first {
        case UInt8(ascii: "{"): return try map(depth)
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: break
        }
        for (word, value) in Self.words where bytes[index...].starts(with: word.utf8) {
            index += word.utf8.count
            return value
        }
        throw .malformed
    }

    private static let words: [(String, ChannelsValue)] = [
        ("null", .null), ("true", .bool(true)), ("false", .bool(false)), ("NaN", .double(.nan)),
        ("Infinity", .double(.infinity)), ("-Infinity", .double(-.infinity)),
    ]

    private mutating func map(_ depth: Int) throws(ChannelsCodecError) -> ChannelsValue {
        var entries: [ChannelsValue.Entry] = []
        index += 1
        skipSpace()
        if accept("}") { return .map([]) }
        repeat {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw .malformed }
            let key = try string()
            skipSpace()
            guard accept(":") else { throw .malformed }
            skipSpace()
            entries.append(.init(.text(key), try read(depth: depth + 1)))
            skipSpace()
        } while accept(",")
        guard accept("}") else { throw .malformed }
        return .map(entries)
    }

    private mutating func array(_ depth: Int) throws(ChannelsCodecError) -> ChannelsValue {
        var elements: [ChannelsValue] = []
        index += 1
        skipSpace()
        if accept("]") { return .array([]) }
        repeat {
            skipSpace()
            elements.append(try read(depth: depth + 1))
            skipSpace()
        } while accept(",")
        guard accept("]") else { throw .malformed }
        return .array(elements)
    }

    private mutating func number() throws(ChannelsCodecError) -> ChannelsValue {
        let start = index
        if accept("-"), peek == UInt8(ascii: "I") {
            guard bytes[index...].starts(with: "Infinity".utf8) else { throw .malformed }
            index += 8
            return .double(-.infinity)
        }
        let first = index
        try digits()
        guard bytes[first] != UInt8(ascii: "0") || index == first + 1 else { throw .malformed }
        var isWhole = true
        if accept(".") {
            isWhole = false
            try digits()
        }
        if accept("e") || accept("E") {
            isWhole = false
            if !accept("+") { _ = accept("-") }
            try digits()
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if isWhole {
            if let value = Int64(text) { return .int(value) }
            if let value = UInt64(text) { return .uint(value) }
            return .digits(text)
        }
        guard let value = Double(text) else { throw .malformed }
        return .double(value)
    }

    private mutating func digits() throws(ChannelsCodecError) {
        let start = index
        while let byte = peek, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { index += 1 }
        guard index > start else { throw .malformed }
    }

    private mutating func string() throws(ChannelsCodecError) -> String {
        do throws(JSONError) {
            let (text, end) = try JSONString.read(bytes, from: index + 1, loneSurrogates: .replaced)
            index = end
            return text
        } catch {
            throw error == .endsEarly ? .truncated : .malformed
        }
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func accept(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: scalar) else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, [0x20, 0x0A, 0x0D, 0x09].contains(byte) { index += 1 }
    }
}
