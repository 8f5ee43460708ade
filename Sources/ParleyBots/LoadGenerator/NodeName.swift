/// A number derived from the name of a node; never 0, which means unknown.
enum NodeName {
    static func number(_ name: String) -> UInt32 {
        var hash: UInt32 = 0x811C_9DC5
        for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 0x100_0193 }
        return max(1, hash)
    }
}
