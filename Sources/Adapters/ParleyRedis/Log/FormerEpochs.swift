import ParleyModel

/// The epochs of a thread that ended because Redis had lost events, as recorded by a script: 8 characters of the epoch
/// and 8 bytes of the last seq that is still valid, for each, newest first.
enum FormerEpochs {
    private static var length: Int { 16 }

    static func read(_ bytes: [UInt8]) -> [Epoch: Int64] {
        var epochs: [Epoch: Int64] = [:]
        for start in stride(from: 0, through: bytes.count - length, by: length) {
            let epoch = Epoch(String(decoding: bytes[start..<start + 8], as: UTF8.self))
            let seq = bytes[start + 8..<start + length].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard let seq = Int64(exactly: seq), LogBounds.seqs.contains(seq) else { continue }
            epochs[epoch] = min(epochs[epoch] ?? .max, seq)
        }
        return epochs
    }
}
