package import NIOCore

/// An incremental server-side parser: turns a client's bytes into whole messages and control frames (RFC 6455, RFC
/// 7692).
///
/// Bounds: the length of a frame is checked before its payload is kept; the joined fragments of a message, and the
/// inflated message, have at most `maximumBytes`. Memory grows with received bytes, not with announced lengths. Between
/// two messages it holds no heap memory.
///
/// After every `append`, call `next()` until it returns `nil`; otherwise input accumulates. After a violation or a
/// close frame, further input is dropped.
package final class WebSocketFrameParser {
    /// A frame whose header is read and whose payload is arriving.
    private struct Frame {
        let opcode: WebSocketOpcode
        let isFinal: Bool
        /// Payload bytes still missing.
        var missing: Int
        var mask: WebSocketMask
    }

    /// A message whose last frame is incomplete.
    private struct Message {
        let isText: Bool
        let isCompressed: Bool
        var payload = ByteBuffer()
    }

    private let maximumBytes: Int
    private let allowsCompression: Bool
    private let allowsBinary: Bool
    /// Received bytes that are not examined yet; between calls at most an incomplete header.
    private var input = ByteBuffer()
    private var frame: Frame?
    private var message: Message?
    /// The received payload of a control frame.
    private var control = ByteBuffer()
    private var isOver = false

    /// - Parameters:
    ///   - maximumBytes: maximum size of a frame and of a message.
    ///   - compression: whether permessage-deflate was negotiated.
    ///   - binary: whether binary messages are accepted.
    package init(maximumBytes: Int, compression: Bool, binary: Bool = false) {
        self.maximumBytes = maximumBytes
        allowsCompression = compression
        allowsBinary = binary
    }

    /// Whether it holds nothing of the client's, so that the next bytes may as well go to a new parser.
    package var isEmpty: Bool {
        !isOver && frame == nil && message == nil && input.readableBytes == 0
    }

    /// Consumes all of `bytes`.
    package func append(_ bytes: inout ByteBuffer) {
        if !isOver {
            if input.readableBytes == 0 { input = bytes } else { input.writeImmutableBuffer(bytes) }
        }
        bytes = ByteBuffer()
    }

    /// The next complete message or control frame; `nil` if more bytes are needed.
    /// - Throws: once, at the first violation; the socket must be closed with its code.
    package func next() throws(WebSocketViolation) -> WebSocketInput? {
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

    /// Checks the header against the preceding frames.
    private func begin(_ header: WebSocketFrameHeader) throws(WebSocketViolation) -> Frame {
        guard allowsCompression || !header.isCompressed else { throw .reservedBit }
        switch header.opcode {
        case .close, .ping, .pong:
            break
        case .continuation:
            guard message != nil else { throw .unexpectedContinuation }
        case .text, .binary:
            guard message == nil else { throw .unfinishedMessage }
            guard header.opcode == .text || allowsBinary else { throw .binary }
        }
        let before = header.opcode.isControl ? 0 : message?.payload.readableBytes ?? 0
        guard header.length <= maximumBytes - before else { throw .tooLarge(maximumBytes: maximumBytes) }
        if header.opcode == .text || header.opcode == .binary {
            message = Message(isText: header.opcode == .text, isCompressed: header.isCompressed)
        }
        return Frame(
            opcode: header.opcode, isFinal: header.isFinal, missing: header.length, mask: header.mask)
    }

    /// Moves payload from the input to the message or control frame.
    /// - Returns: the frame, once its payload is complete.
    private func takePayload() -> Frame? {
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

    /// The input completed by a frame; `nil` for a fragment with more to come.
    private func end(_ frame: Frame) throws(WebSocketViolation) -> WebSocketInput? {
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
            return try whole(message)
        }
    }

    private func whole(_ message: Message) throws(WebSocketViolation) -> WebSocketInput {
        let payload =
            message.isCompressed
            ? try PerMessageDeflate.inflate(message.payload, maximumBytes: maximumBytes) : message.payload
        guard message.isText else { return .binary(payload) }
        guard payload.withUnsafeReadableBytes(UTF8Check.isValid) else { throw .notUTF8 }
        return .text(payload)
    }

    /// RFC 6455 §5.5.1: empty, or two bytes of code and a UTF-8 reason.
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

    private func takeControl() -> ByteBuffer {
        defer { control = ByteBuffer() }
        return control
    }

    /// Copies an incomplete header to a small buffer, so that the receive buffer can be reused.
    private func letGoOfInput() {
        var own = ByteBuffer()
        if input.readableBytes > 0 { own.writeImmutableBuffer(input) }
        input = own
    }

    private func stop() {
        isOver = true
        frame = nil
        message = nil
        input = ByteBuffer()
        control = ByteBuffer()
    }
}

extension ByteBuffer {
    /// Writes `count` unmasked payload bytes from `source`.
    fileprivate mutating func writeUnmasked(_ count: Int, from source: inout ByteBuffer, mask: inout WebSocketMask) {
        _ = source.readWithUnsafeReadableBytes { bytes in
            writeWithUnsafeMutableBytes(minimumWritableBytes: count) { room in
                mask.unmask(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)), into: room)
                return count
            }
        }
    }
}
