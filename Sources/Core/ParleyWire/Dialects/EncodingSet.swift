/// A set of encodings, such as those needed for a thread's members on this node.
package struct EncodingSet: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// Bit `n` represents the encoding of index `n`.
    private var bits: UInt16 = 0

    package init() {}

    package init(arrayLiteral elements: Encoding...) {
        for element in elements { insert(element) }
    }

    package func contains(_ encoding: Encoding) -> Bool {
        bits & Self.bit(encoding) != 0
    }

    package mutating func insert(_ encoding: Encoding) {
        bits |= Self.bit(encoding)
    }

    package mutating func remove(_ encoding: Encoding) {
        bits &= ~Self.bit(encoding)
    }

    package mutating func formUnion(_ other: EncodingSet) {
        bits |= other.bits
    }

    private static func bit(_ encoding: Encoding) -> UInt16 {
        1 << UInt16(encoding.index)
    }
}
