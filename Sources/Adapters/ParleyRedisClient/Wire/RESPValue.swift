/// A reply of Redis (RESP2).
package indirect enum RESPValue: Hashable, Sendable {
    case null
    case integer(Int64)
    /// A status such as `OK`.
    case status(String)
    /// An error, with its code as the first word.
    case error(String)
    case bulk([UInt8])
    case array([RESPValue])

    /// A status or bulk string as text; invalid UTF-8 is replaced.
    package var text: String? {
        switch self {
        case .status(let text): text
        case .bulk(let bytes): String(decoding: bytes, as: UTF8.self)
        default: nil
        }
    }

    /// An integer, or a text of digits as stored in hashes.
    package var number: Int64? {
        switch self {
        case .integer(let number): number
        case .bulk, .status: text.flatMap { Int64($0) }
        default: nil
        }
    }

    package var bytes: [UInt8]? {
        if case .bulk(let bytes) = self { bytes } else { nil }
    }

    package var elements: [RESPValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}
