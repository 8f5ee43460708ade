package import NIOCore

/// Frames sent by a client: unfragmented and masked (RFC 6455 §5).
package enum WebSocketClientFrame {
    /// - Parameters:
    ///   - payload: UTF-8 for a text; truncated to 125 bytes for a control frame.
    ///   - mask: an unpredictable number, a new one for each frame.
    package static func frame(_ opcode: WebSocketOpcode, _ payload: ByteBuffer, mask: UInt32) -> ByteBuffer {
        var frame = ByteBufferAllocator().buffer(capacity: 14 + payload.readableBytes)
        append(opcode, payload, mask: mask, to: &frame)
        return frame
    }

    /// Appends a frame to `buffer`, so that several frames make one write.
    package static func append(
        _ opcode: WebSocketOpcode, _ payload: ByteBuffer, mask: UInt32, to buffer: inout ByteBuffer
    ) {
        let length =
            opcode.isControl
            ? min(payload.readableBytes, WebSocketFrame.maximumControlBytes) : payload.readableBytes
        buffer.writeInteger(0x80 | opcode.rawValue)
        switch length {
        case ...125: buffer.writeInteger(0x80 | UInt8(length))
        case ...0xFFFF: buffer.writeMultipleIntegers(0x80 | UInt8(126), UInt16(length))
        default: buffer.writeMultipleIntegers(0x80 | UInt8(127), UInt64(length))
        }
        buffer.writeInteger(mask, endianness: .little)
        var key = WebSocketMask(littleEndian: mask)
        payload.withUnsafeReadableBytes { bytes in
            _ = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: length) { room in
                key.unmask(UnsafeRawBufferPointer(rebasing: bytes.prefix(length)), into: room)
                return length
            }
        }
    }

    /// A close frame, which initiates or answers a close.
    package static func close(code: UInt16, mask: UInt32) -> ByteBuffer {
        frame(.close, ByteBuffer(integer: code), mask: mask)
    }
}
