/// A text compared and ordered by its bytes, as PostgreSQL's collation "C" does. Texts that differ in bytes can be equal as
/// Swift strings.
package struct ByteText: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (one: ByteText, other: ByteText) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    package static func < (one: ByteText, other: ByteText) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    func hasPrefix(_ prefix: String) -> Bool { text.utf8.starts(with: prefix.utf8) }
}
