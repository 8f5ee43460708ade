/// Encodes JSON as Python's `json.dumps` does by default: separators `", "` and `": "`, ASCII only, literal `NaN` and
/// `Infinity`.
///
/// It is separate from `JSONWriter`, which writes compact UTF-8: the two outputs have almost nothing in common.
package struct PythonJSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    /// Encodes a value.
    /// - Throws: `unsupported` for bytes and extensions, `tooDeep`, `invalidKey`.
    package static func encode(_ value: ChannelsValue) throws(ChannelsCodecError) -> [UInt8] {
        var writer = PythonJSONWriter()
        try writer.write(value, depth: 0)
        return writer.bytes
    }

    private mutating func write(_ value: ChannelsValue, depth: Int) throws(ChannelsCodecError) {
        switch value {
        case .null: append("null")
        case .bool(let flag): append(flag ? "true" : "false")
        case .int(let number): append(String(number))
        case .uint(let number): append(String(number))
        case .digits(let digits): append(digits)
        case .double(let number): append(Self.text(of: number))
        case .text(let text): write(text)
        case .bytes, .ext: throw .unsupported
        case .array(let elements):
            guard depth < ChannelsValue.maximumDepth else { throw .tooDeep }
            append("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { append(", ") }
                try write(element, depth: depth + 1)
            }
            append("]")
        case .map(let entries):
            guard depth < ChannelsValue.maximumDepth else { throw .tooDeep }
            append("{")
            for (index, entry) in entries.enumerated() {
                if index > 0 { append(", ") }
                guard let key = entry.key.text else { throw .invalidKey }
                write(key)
                append(": ")
                try write(entry.value, depth: depth + 1)
            }
            append("}")
        }
    }

    /// Appends text verbatim, without quotes.
    package mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends an already encoded value.
    package mutating func append(encoded value: [UInt8]) {
        bytes += value
    }

    /// Appends a quoted string.
    package mutating func write(_ text: String) {
        append("\"")
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": append("\\\"")
            case "\\": append("\\\\")
            case "\n": append("\\n")
            case "\r": append("\\r")
            case "\t": append("\\t")
            case "\u{8}": append("\\b")
            case "\u{C}": append("\\f")
            case " "..."~": bytes.append(UInt8(scalar.value))
            default: for unit in UTF16.encode(scalar) ?? .init() { escape(unit) }
            }
        }
        append("\"")
    }

    private mutating func escape(_ unit: UInt16) {
        append("\\u")
        for shift in [12, 8, 4, 0] as [UInt16] {
            let digit = UInt8(unit >> shift & 0xF)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    private static func text(of number: Double) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
        return number.description
    }
}
