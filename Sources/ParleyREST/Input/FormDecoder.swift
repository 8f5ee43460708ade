/// Decodes `application/x-www-form-urlencoded` (WHATWG URL §5.1) bodies and queries, strictly: invalid percent-encoding
/// or UTF-8 is an error, where browsers would guess.
enum FormDecoder {
    /// Maximum number of pairs.
    static let maximumPairs = 256

    enum ParseError: Error, Hashable, Sendable {
        case tooManyPairs
        /// A `%` that is not followed by two hex digits.
        case badPercentEncoding
        case notUTF8

        /// The error, for the client.
        var explanation: String {
            switch self {
            case .tooManyPairs: "more than \(FormDecoder.maximumPairs) fields"
            case .badPercentEncoding: "a % must be followed by two hex digits"
            case .notUTF8: "not UTF-8"
            }
        }
    }

    /// The pairs in order; a pair without `=` has an empty value, an empty piece is skipped.
    static func pairs(in form: some Collection<UInt8>) throws(ParseError) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        for piece in form.split(separator: UInt8(ascii: "&")) {
            guard pairs.count < maximumPairs else { throw .tooManyPairs }
            if let equals = piece.firstIndex(of: UInt8(ascii: "=")) {
                pairs.append((try text(piece[..<equals]), try text(piece[piece.index(after: equals)...])))
            } else {
                pairs.append((try text(piece), ""))
            }
        }
        return pairs
    }

    private static func text(_ encoded: some Collection<UInt8>) throws(ParseError) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count)
        var rest = encoded.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = digit(rest.next()), let low = digit(rest.next()) else { throw .badPercentEncoding }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        return text
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        switch byte {
        case .some(UInt8(ascii: "0")...UInt8(ascii: "9")): byte.map { $0 - UInt8(ascii: "0") }
        case .some(UInt8(ascii: "a")...UInt8(ascii: "f")): byte.map { $0 - UInt8(ascii: "a") + 10 }
        case .some(UInt8(ascii: "A")...UInt8(ascii: "F")): byte.map { $0 - UInt8(ascii: "A") + 10 }
        default: nil
        }
    }
}
