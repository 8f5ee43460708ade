/// In which bytes a socket wants its events; sockets of one encoding share them.
package struct Encoding: Hashable, Sendable {
    package let dialect: Dialect
    /// permessage-deflate was negotiated. The line dialect knows no compression: there this is always `false`.
    package let compressed: Bool

    package init(dialect: Dialect, compressed: Bool = false) {
        self.dialect = dialect
        self.compressed = compressed && dialect != .line
    }

    /// How many values `index` can have.
    package static let count = Dialect.allCases.count * 2

    /// A number for tables, in `0..<Encoding.count`; no two encodings share one.
    package var index: Int {
        Int(dialect.rawValue) * 2 + (compressed ? 1 : 0)
    }

    /// Every encoding there is, by rising `index`.
    package static let all: [Encoding] = Dialect.allCases.flatMap { dialect in
        Set([false, true].map { Encoding(dialect: dialect, compressed: $0) }).sorted { $0.index < $1.index }
    }
}
