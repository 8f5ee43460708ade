package import ParleyWire

/// Which encodings have sockets on this node, so that an event is encoded for those and no others.
package struct EncodingCounts {
    private var counts = [Int](repeating: 0, count: Encoding.count)
    package private(set) var inUse = EncodingSet()

    package init() {}

    package mutating func add(_ encoding: Encoding) {
        counts[encoding.index] += 1
        inUse.insert(encoding)
    }

    package mutating func remove(_ encoding: Encoding) {
        counts[encoding.index] -= 1
        if counts[encoding.index] == 0 { inUse.remove(encoding) }
    }
}
