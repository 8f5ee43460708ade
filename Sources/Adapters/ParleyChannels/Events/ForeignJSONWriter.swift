import Foundation
import ParleyJSON

/// Writes any Python value as strict JSON (RFC 8259), compact and in UTF-8.
///
/// Values that JSON lacks: bytes become base64, also as keys; NaN, the infinities and extensions become `null`. If a
/// key occurs several times, the last one counts. Integers keep all their digits, even beyond 2⁵³. Limited to `limit` bytes.
struct ForeignJSONWriter {
    private var json = JSONWriter(capacity: 256)
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    var bytes: [UInt8] { json.bytes }

    /// Writes a value.
    /// - Throws: `tooLarge`; `bytes` is then incomplete.
    mutating func write(_ value: ChannelsValue) throws(ChannelsCodecError) {
        switch value {
        case .null, .ext: json.null()
        case .bool(let flag): json.bool(flag)
        case .int(let number): json.integer(number)
        case .uint(let number): json.raw(String(number))
        case .digits(let digits): json.raw(digits)
        case .double(let number): json.number(number)
        case .text(let text): json.string(text)
        case .bytes(let data): json.string(Data(data).base64EncodedString())
        case .array(let elements):
            json.beginArray()
            for element in elements { try write(element) }
            json.endArray()
        case .map(let entries): try map(entries)
        }
        guard json.count <= limit else { throw .tooLarge }
    }

    private mutating func map(_ entries: [ChannelsValue.Entry]) throws(ChannelsCodecError) {
        let keys = entries.map(Self.key)
        // Keys are compared by bytes: two spellings of one character are two keys.
        var last: [[UInt8]: Int] = [:]
        for (index, key) in keys.enumerated() { last[Array(key.utf8)] = index }
        json.beginObject()
        for (index, entry) in entries.enumerated() where last[Array(keys[index].utf8)] == index {
            json.key(escaping: keys[index])
            try write(entry.value)
        }
        json.endObject()
    }

    private static func key(_ entry: ChannelsValue.Entry) -> String {
        switch entry.key {
        case .text(let text): text
        case .bytes(let data): Data(data).base64EncodedString()
        default: ""
        }
    }
}
