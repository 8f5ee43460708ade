import Foundation

/// Writes any value of Python as strict JSON (RFC 8259), compact and in UTF-8.
///
/// What JSON lacks: bytes become base64, NaN and the infinities `null`, extensions `null`, a key of bytes base64; of
/// equal keys the last one counts. Integers keep all their digits, beyond 2⁵³ too. Ends at `limit` bytes.
struct ForeignJSONWriter {
    private(set) var bytes: [UInt8] = []
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// - Throws: `tooLarge`; then `bytes` is no JSON.
    mutating func write(_ value: ChannelsValue) throws(ChannelsCodecError) {
        switch value {
        case .null, .ext: append("null")
        case .bool(let flag): append(flag ? "true" : "false")
        case .int(let number): append(String(number))
        case .uint(let number): append(String(number))
        case .digits(let digits): append(digits)
        case .double(let number): append(number.isFinite ? number.description : "null")
        case .text(let text): string(text)
        case .bytes(let data): string(Data(data).base64EncodedString())
        case .array(let elements): try array(elements)
        case .map(let entries): try map(entries)
        }
        guard bytes.count <= limit else { throw .tooLarge }
    }

    private mutating func array(_ elements: [ChannelsValue]) throws(ChannelsCodecError) {
        append("[")
        for (index, element) in elements.enumerated() {
            if index > 0 { append(",") }
            try write(element)
        }
        append("]")
    }

    private mutating func map(_ entries: [ChannelsValue.Entry]) throws(ChannelsCodecError) {
        let keys = entries.map(Self.key)
        // By their bytes: two spellings of one character are two keys.
        var last: [[UInt8]: Int] = [:]
        for (index, key) in keys.enumerated() { last[Array(key.utf8)] = index }
        append("{")
        var isFirst = true
        for (index, entry) in entries.enumerated() where last[Array(keys[index].utf8)] == index {
            if !isFirst { append(",") }
            isFirst = false
            string(keys[index])
            append(":")
            try write(entry.value)
        }
        append("}")
    }

    private static func key(_ entry: ChannelsValue.Entry) -> String {
        switch entry.key {
        case .text(let text): text
        case .bytes(let data): Data(data).base64EncodedString()
        default: ""
        }
    }

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\\"): append("\\\\")
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                append(digits.utf8.count == 1 ? "\\u000\(digits)" : "\\u00\(digits)")
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
