/// A set of event loops of this node, by index 0 to 63.
package struct LoopSet: Hashable, Sendable {
    /// The maximum number of event loops of a node.
    package static let capacity = 64

    private var bits: UInt64 = 0

    package init() {}

    package init(_ loop: Int) {
        insert(loop)
    }

    package var isEmpty: Bool { bits == 0 }

    package mutating func insert(_ loop: Int) {
        bits |= 1 << UInt64(loop)
    }

    package mutating func remove(_ loop: Int) {
        bits &= ~(1 << UInt64(loop))
    }

    package mutating func formUnion(_ other: LoopSet) {
        bits |= other.bits
    }

    /// Calls `body` for each loop, lowest first.
    package func forEach(_ body: (Int) -> Void) {
        var rest = bits
        while rest != 0 {
            body(rest.trailingZeroBitCount)
            rest &= rest - 1
        }
    }
}
