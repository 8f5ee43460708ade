/// An incremental frame parser; strict about what a server may send (RFC 6455 §5).
package struct SocketFrameParser {
    /// The server violated the protocol.
    package struct Violation: Error, CustomStringConvertible {
        package let description: String
    }

    private var bytes: [UInt8] = []
    private var start = 0

    package init() {}

    package mutating func feed(_ more: some Sequence<UInt8>) {
        if start > 65_536 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// The next complete frame; `nil` if more bytes are needed.
    package mutating func next() throws(Violation) -> SocketFrame? {
        let available = bytes.count - start
        guard available >= 2 else { return nil }
        let (first, second) = (bytes[start], bytes[start + 1])
        guard first & 0x30 == 0 else { throw Violation(description: "RSV2 or RSV3 is set") }
        guard second & 0x80 == 0 else { throw Violation(description: "a server must not mask") }
        guard let opcode = SocketFrame.Opcode(rawValue: first & 0x0F) else {
            throw Violation(description: "opcode \(first & 0x0F)")
        }
        let extra = second == 126 ? 2 : second == 127 ? 8 : 0
        guard available >= 2 + extra else { return nil }
        var length = extra == 0 ? Int(second) : 0
        for index in 0..<extra { length = length << 8 | Int(bytes[start + 2 + index]) }
        let isMinimal = extra == 0 || length > (extra == 2 ? 125 : 65_535)
        guard isMinimal else { throw Violation(description: "length \(length) is not written minimally") }
        let isControl = first & 0x08 != 0
        guard !isControl || (length < 126 && first & 0x80 != 0) else {
            throw Violation(description: "a control frame is too long or fragmented")
        }
        guard available >= 2 + extra + length else { return nil }
        let payload = start + 2 + extra
        var frame = SocketFrame(opcode, Array(bytes[payload..<(payload + length)]), isFinal: first & 0x80 != 0)
        frame.isCompressed = first & 0x40 != 0
        start = payload + length
        return frame
    }
}
