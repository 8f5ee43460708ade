import ParleyModel

/// Decodes `application/x-www-form-urlencoded` (WHATWG URL §5.1) bodies and queries strictly: invalid percent-encoding or UTF-8
/// is an error, where browsers would guess.
enum FormDecoder {
    /// The maximum number of pairs.
    static let maximumPairs = 256

    enum ParseError: Error, Hashable, Sendable {
        case tooManyPairs
        /// A `%` that is not followed by two hex digits.
        case badPercentEncoding
        case notUTF8

        /// The error, as a text for the client.
        var explanation: String {
            switch self {
            case .tooManyPairs: "more than \(FormDecoder.maximumPairs) fields"
            case .badPercentEncoding: "a % must be followed by two hex digits"
            case .notUTF8: "not UTF-8"
            }
        }
    }

    /// Returns the pairs in order. A pair without `=` has an empty value, and empty pieces are skipped.
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
        let spaced = encoded.lazy.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        guard let bytes = PercentEncoding.decode(spaced) else { throw .badPercentEncoding }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        return text
    }
}
