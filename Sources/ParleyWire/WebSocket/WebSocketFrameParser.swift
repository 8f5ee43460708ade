package import NIOCore

/// Turns the bytes of a client into whole messages and control frames (RFC 6455, RFC 7692); server side, incremental.
///
/// Bounds: the length of a frame is checked before its payload is kept; the fragments of a message together, and what
/// it inflates to, have at most `maximumBytes`. Memory grows with what has come, not with what a frame announces.
/// Between two messages nothing is held on the heap.
///
/// Call `next()` until it says `nil` after every `append`; otherwise what was appended piles up. After a violation or
/// a close frame everything that still comes is dropped.
package struct WebSocketFrameParser: Sendable {
    /// A frame whose head was read and whose payload is coming.
    private struct Frame {
        let opcode: WebSocketOpcode
        let isFinal: Bool
        /// Bytes of payload that are still to come.
        var missing: Int
        var mask: WebSocketMask
    }

    /// A message whose last frame has not ended.
    private struct Message {
        let isCompressed: Bool
        var payload = ByteBuffer()
    }

    private let maximumBytes: Int
    private let allowsCompression: Bool
    /// Received and not looked at yet; between calls at most an incomplete head.
    private var input = ByteBuffer()
    private var frame: Frame?
    private var message: Message?
    /// The payload of a control frame, as far as it came.
    private var control = ByteBuffer()
    private var isOver = false

    /// - Parameters:
    ///   - maximumBytes: the largest frame and the largest message.
    ///   - compression: permessage-deflate was negotiated for this socket.
    package init(maximumBytes: Int, compression: Bool) {
        self.maximumBytes = maximumBytes
        allowsCompression = compression
    }

    /// Bytes of heap memory that the parser keeps alive, its reserves included; 0 between two messages.
    package var heldBytes: Int {
        input.storageCapacity + control.storageCapacity + (message?.payload.storageCapacity ?? 0)
    }

    /// Takes all of `bytes`, which is empty afterwards.
    package mutating func append(_ bytes: inout ByteBuffer) {
        if !isOver {
            if input.readableBytes == 0 { input = bytes } else { input.writeImmutableBuffer(bytes) }
        }
        bytes = ByteBuffer()
    }

    /// The next message or control frame that is complete, `nil` if more bytes are needed.
    /// - Throws: once, at the first violation; the socket is to be closed with its code.
    package mutating func next() throws(WebSocketViolation) -> WebSocketInput? {
        do {
            while !isOver {
                if frame == nil {
                    guard let header = try WebSocketFrameHeader(readFrom: &input) else {
                        letGoOfInput()
                        return nil
                    }
                    frame = try begin(header)
                }
                guard let frame = takePayload() else {
                    letGoOfInput()
                    return nil
                }
                if let complete = try end(frame) { return complete }
            }
            return nil
        } catch {
            stop()
            throw error
        }
    }

    // MARK: Steps

    /// Checks what depends on the frames before.
    private mutating func begin(_ header: WebSocketFrameHeader) throws(WebSocketViolation) -> Frame {
        guard allowsCompression || !header.isCompressed else { throw .reservedBit }
        switch header.opcode {
        case .close, .ping, .pong:
            break
        case .continuation:
            guard message != nil else { throw .unexpectedContinuation }
        case .text, .binary:
            guard message == nil else { throw .unfinishedMessage }
            guard header.opcode == .text else { throw .binary }
        }
        let before = header.opcode.isControl ? 0 : message?.payload.readableBytes ?? 0
        guard header.length <= maximumBytes - before else { throw .tooLarge(maximumBytes: maximumBytes) }
        if header.opcode == .text { message = Message(isCompressed: header.isCompressed) }
        return Frame(
            opcode: header.opcode, isFinal: header.isFinal, missing: header.length, mask: header.mask)
    }

    /// Moves payload from the input to where it belongs.
    /// - Returns: the frame, once all of its payload is there.
    private mutating func takePayload() -> Frame? {
        guard var frame else { return nil }
        let count = min(frame.missing, input.readableBytes)
        if count > 0 {
            if frame.opcode.isControl {
                control.writeUnmasked(count, from: &input, mask: &frame.mask)
            } else {
                message?.payload.writeUnmasked(count, from: &input, mask: &frame.mask)
            }
            frame.missing -= count
        }
        self.frame = frame.missing > 0 ? frame : nil
        return frame.missing > 0 ? nil : frame
    }

    /// What a complete frame completes; `nil` for a fragment with more to come.
    private mutating func end(_ frame: Frame) throws(WebSocketViolation) -> WebSocketInput? {
        switch frame.opcode {
        case .ping: return .ping(takeControl())
        case .pong:
            control = ByteBuffer()
            return .pong
        case .close:
            let code = try Self.closeCode(takeControl())
            stop()
            return .close(code: code)
        case .text, .binary, .continuation:
            guard frame.isFinal, let message else { return nil }
            self.message = nil
            return .text(try text(of: message))
        }
    }

    private func text(of message: Message) throws(WebSocketViolation) -> ByteBuffer {
        let text =
            message.isCompressed
            ? try PerMessageDeflate.inflate(message.payload, maximumBytes: maximumBytes) : message.payload
        guard text.withUnsafeReadableBytes(UTF8Check.isValid) else { throw .notUTF8 }
        return text
    }

    /// RFC 6455 §5.5.1: empty, or two bytes of code and a reason in UTF-8.
    private static func closeCode(_ payload: ByteBuffer) throws(WebSocketViolation) -> UInt16? {
        if payload.readableBytes == 0 { return nil }
        var reason = payload
        guard let code = reason.readInteger(as: UInt16.self), WebSocketCloseCode.maySend(code) else {
            throw .badCloseCode
        }
        guard reason.withUnsafeReadableBytes(UTF8Check.isValid) else { throw .notUTF8 }
        return code
    }

    // MARK: Memory

    private mutating func takeControl() -> ByteBuffer {
        defer { control = ByteBuffer() }
        return control
    }

    /// Keeps an incomplete head in a small buffer of its own, so that the receive buffer can be used again.
    private mutating func letGoOfInput() {
        var own = ByteBuffer()
        if input.readableBytes > 0 { own.writeImmutableBuffer(input) }
        input = own
    }

    private mutating func stop() {
        isOver = true
        frame = nil
        message = nil
        input = ByteBuffer()
        control = ByteBuffer()
    }
}

extension ByteBuffer {
    /// Moves `count` payload bytes from `source` without their mask.
    fileprivate mutating func writeUnmasked(_ count: Int, from source: inout ByteBuffer, mask: inout WebSocketMask) {
        _ = source.readWithUnsafeReadableBytes { bytes in
            writeWithUnsafeMutableBytes(minimumWritableBytes: count) { room in
                mask.unmask(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)), into: room)
                return count
            }
        }
    }
}
