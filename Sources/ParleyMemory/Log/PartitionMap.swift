import ParleyModel

/// Which partition of a memory log a thread lies in.
enum PartitionMap {
    /// FNV-1a (draft-eastlake-fnv), 32 bits, of the thread's id, folded to `count` partitions.
    static func number(of thread: ThreadID, count: Int) -> Int {
        guard count > 1 else { return 0 }
        var hash: UInt32 = 0x811c_9dc5
        for byte in thread.text.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return Int(hash) % count
    }
}
