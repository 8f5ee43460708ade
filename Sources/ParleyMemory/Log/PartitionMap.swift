import ParleyModel

/// The assignment of threads to partitions of a memory log.
enum PartitionMap {
    /// The partition of a thread: 32-bit FNV-1a (draft-eastlake-fnv) of its id, reduced to `count` partitions.
    static func number(of thread: ThreadID, count: Int) -> Int {
        guard count > 1 else { return 0 }
        var hash: UInt32 = 0x811c_9dc5
        for byte in thread.text.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return Int(hash) % count
    }
}
