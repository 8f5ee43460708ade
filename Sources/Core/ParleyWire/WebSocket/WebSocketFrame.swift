package import NIOCore

/// Frames sent by a server: unfragmented and unmasked (RFC 6455 §5).
package enum WebSocketFrame {
    /// Maximum payload of a control frame, in bytes (§5.5).
    package static let maximumControlBytes = 125

    /// A text message.
    /// - Parameters:
    ///   - payload: UTF-8.
    ///   - compressed: whether the receiver negotiated permessage-deflate; the message is then compressed if that is
    ///     worthwhile.
    package static func text(_ payload: ByteBuffer, compressed: Bool) -> ByteBuffer {
        if compressed, let deflated = PerMessageDeflate.compress(payload) {
            return frame(.text, deflated, isCompressed: true)
        }
        return frame(.text, payload)
    }

    /// A binary message, which no dialect has; compressed as `text` is.
    package static func binary(_ payload: ByteBuffer, compressed: Bool) -> ByteBuffer {
        if compressed, let deflated = PerMessageDeflate.compress(payload) {
            return frame(.binary, deflated, isCompressed: true)
        }
        return frame(.binary, payload)
    }

    /// A ping without payload.
    package static func ping() -> ByteBuffer {
        frame(.ping, ByteBuffer())
    }

    /// The reply to a ping.
    /// - Parameter payload: the payload of the ping; truncated to 125 bytes, the maximum of a ping.
    package static func pong(_ payload: ByteBuffer) -> ByteBuffer {
        let count = min(payload.readableBytes, maximumControlBytes)
        return frame(.pong, payload.getSlice(at: payload.readerIndex, length: count) ?? ByteBuffer())
    }

    /// A close frame, which initiates or answers a close.
    /// - Parameters:
    ///   - code: a code that may be sent, see `WebSocketCloseCode`.
    ///   - reason: for the developer of the client; truncated to 123 bytes at a scalar boundary.
    package static func close(code: UInt16, reason: String) -> ByteBuffer {
        var payload = ByteBuffer(integer: code)
        for scalar in reason.unicodeScalars {
            guard payload.readableBytes + scalar.utf8.count <= maximumControlBytes else { break }
            payload.writeBytes(scalar.utf8)
        }
        return frame(.close, payload)
    }

    /// A close frame without a code, the reply to one without a code.
    package static func close() -> ByteBuffer {
        frame(.close, ByteBuffer())
    }

    private static func frame(
        _ opcode: WebSocketOpcode, _ payload: ByteBuffer, isCompressed: Bool = false
    ) -> ByteBuffer {
        let length = payload.readableBytes
        var frame = ByteBufferAllocator().buffer(capacity: 10 + length)
        frame.writeInteger(0x80 | (isCompressed ? 0x40 : 0) | opcode.rawValue)
        switch length {
        case ...125: frame.writeInteger(UInt8(length))
        case ...0xFFFF: frame.writeMultipleIntegers(UInt8(126), UInt16(length))
        default: frame.writeMultipleIntegers(UInt8(127), UInt64(length))
        }
        frame.writeImmutableBuffer(payload)
        return frame
    }
}
