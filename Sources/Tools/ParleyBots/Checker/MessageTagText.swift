/// The text of a bot's message: tag, scheduled time, node, and padding.
package struct MessageTagText: Hashable, Sendable {
    package var tag: MessageTag
    /// Monotonic microseconds.
    package var scheduled: Int64
    /// The hash of the name of the node that the send went to; 0 if unknown.
    package var node: UInt32

    package init(tag: MessageTag, scheduled: Int64, node: UInt32) {
        self.tag = tag
        self.scheduled = scheduled
        self.node = node
    }

    private static let fence = UInt8(ascii: "~")

    /// - Parameter size: in bytes, at least `MessageTag.textBytes`.
    package func text(size: Int) -> String {
        String(unsafeUninitializedCapacity: size) { bytes in
            bytes[0] = Self.fence
            Self.write(tag.raw, digits: 16, to: bytes, at: 1)
            Self.write(UInt64(scheduled), digits: 12, to: bytes, at: 17)
            Self.write(UInt64(node), digits: 8, to: bytes, at: 29)
            bytes[37] = Self.fence
            for index in MessageTag.textBytes..<max(size, MessageTag.textBytes) {
                bytes[index] = index % 6 == 5 ? UInt8(ascii: " ") : UInt8(ascii: "a") + UInt8(index % 26)
            }
            return size
        }
    }

    /// Reads a text written by `text(size:)`; `nil` for any other text.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MessageTag.textBytes, bytes[0] == Self.fence, bytes[37] == Self.fence,
            let raw = Self.read(bytes, 1, 16), let scheduled = Self.read(bytes, 17, 12),
            let node = Self.read(bytes, 29, 8)
        else { return nil }
        tag = MessageTag(raw: raw)
        guard tag.isOurs else { return nil }
        self.scheduled = Int64(scheduled)
        self.node = UInt32(node)
    }

    private static func write(
        _ value: UInt64, digits: Int, to bytes: UnsafeMutableBufferPointer<UInt8>, at start: Int
    ) {
        for index in 0..<digits {
            let digit = UInt8(truncatingIfNeeded: value >> UInt64((digits - 1 - index) * 4)) & 0xF
            bytes[start + index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        }
    }

    private static func read(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ count: Int) -> UInt64? {
        var value: UInt64 = 0
        for index in start..<(start + count) {
            let byte = bytes[index]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            default: return nil
            }
            value = value << 4 | UInt64(digit)
        }
        return value
    }
}
