/// The masking key of a frame (RFC 6455 §5.3), rotated to match the next byte.
struct WebSocketMask: Hashable, Sendable {
    /// The lowest byte is the key of the next payload byte.
    private var key: UInt32

    /// - Parameter key: the four bytes of the frame as a little-endian number.
    init(littleEndian key: UInt32) {
        self.key = key
    }

    /// Writes the unmasked bytes of `source` to `target`, which has the same length; the next call continues after
    /// them.
    mutating func unmask(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) {
        let count = min(source.count, target.count)
        let wide = (UInt64(key) << 32 | UInt64(key)).littleEndian
        var index = 0
        while index + 8 <= count {
            let word = source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            target.storeBytes(of: word ^ wide, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < count {
            target[index] = source[index] ^ UInt8(truncatingIfNeeded: key >> UInt32(index % 4 * 8))
            index += 1
        }
        let turn = UInt32(count % 4 * 8)
        if turn > 0 { key = key >> turn | key << (32 - turn) }
    }
}
