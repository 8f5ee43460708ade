/// The byte encoding of a socket's events; sockets with the same encoding share the bytes.
package struct Encoding: Hashable, Sendable {
    package let dialect: Dialect
    /// Whether permessage-deflate was negotiated. Always `false` for the line dialect, which has no compression.
    package let compressed: Bool

    package init(dialect: Dialect, compressed: Bool = false) {
        self.dialect = dialect
        self.compressed = compressed && dialect != .line
    }

    /// The number of values of `index`.
    package static let count = Dialect.allCases.count * 2

    /// A table index in `0..<Encoding.count`, unique to the encoding.
    package var index: Int {
        Int(dialect.rawValue) * 2 + (compressed ? 1 : 0)
    }

    /// All encodings, by ascending `index`.
    package static let all: [Encoding] = Dialect.allCases.flatMap { dialect in
        Set([false, true].map { Encoding(dialect: dialect, compressed: $0) }).sorted { $0.index < $1.index }
    }
}
