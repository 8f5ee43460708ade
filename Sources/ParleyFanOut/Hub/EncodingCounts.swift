import ParleyWire

/// Which encodings have sockets on this node, so that an event is encoded for those and no others.
struct EncodingCounts {
    private var counts = [Int](repeating: 0, count: Encoding.count)
    private(set) var inUse = EncodingSet()

    mutating func add(_ encoding: Encoding) {
        counts[encoding.index] += 1
        inUse.insert(encoding)
    }

    mutating func remove(_ encoding: Encoding) {
        counts[encoding.index] -= 1
        if counts[encoding.index] == 0 { inUse.remove(encoding) }
    }
}
