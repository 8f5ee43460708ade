import NIOCore

/// The header of a client's frame (RFC 6455 §5.2), with the checks that need no other frames.
struct WebSocketFrameHeader: Hashable, Sendable {
    let opcode: WebSocketOpcode
    let isFinal: Bool
    /// RSV1: the message that begins with this frame is compressed (RFC 7692 §6).
    let isCompressed: Bool
    /// Payload length in bytes.
    let length: Int
    let mask: WebSocketMask

    /// Reads a header from the front of `bytes` once it is complete; otherwise consumes nothing.
    /// - Throws: at the first byte that shows a violation, at the latest when the length is complete.
    init?(readFrom bytes: inout ByteBuffer) throws(WebSocketViolation) {
        let start = bytes.readerIndex
        guard let first = bytes.getInteger(at: start, as: UInt8.self),
            let second = bytes.getInteger(at: start + 1, as: UInt8.self)
        else { return nil }
        guard first & 0b0011_0000 == 0 else { throw .reservedBit }
        guard let opcode = WebSocketOpcode(rawValue: first & 0xF) else { throw .unknownOpcode(first & 0xF) }
        isFinal = first & 0x80 != 0
        isCompressed = first & 0x40 != 0
        self.opcode = opcode
        // Only messages are compressed, and the bit is set on their first frame.
        guard !isCompressed || opcode == .text || opcode == .binary else { throw .reservedBit }
        guard second & 0x80 != 0 else { throw .unmasked }
        let shortLength = Int(second & 0x7F)
        guard !opcode.isControl || isFinal && shortLength <= 125 else { throw .badControlFrame }

        let keyStart: Int
        switch shortLength {
        case 126:
            guard let value = bytes.getInteger(at: start + 2, as: UInt16.self) else { return nil }
            guard value > 125 else { throw .badLength }
            (length, keyStart) = (Int(value), start + 4)
        case 127:
            guard let value = bytes.getInteger(at: start + 2, as: UInt64.self) else { return nil }
            guard value > 0xFFFF, let value = Int(exactly: value) else { throw .badLength }
            (length, keyStart) = (value, start + 10)
        default:
            (length, keyStart) = (shortLength, start + 2)
        }
        guard let key = bytes.getInteger(at: keyStart, endianness: .little, as: UInt32.self) else { return nil }
        mask = WebSocketMask(littleEndian: key)
        bytes.moveReaderIndex(to: keyStart + 4)
    }
}
