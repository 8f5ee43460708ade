package import NIOCore

/// An incremental client-side parser: turns a server's bytes into whole messages and control frames (RFC 6455).
///
/// A compressed frame (RFC 7692) is a violation unless `acceptsCompression` was called. Frames that arrive in one piece
/// are returned as slices, without a copy. A frame, and the joined fragments of a message, have at most `maximumBytes`.
///
/// After every `append`, call `next()` until it returns `nil`. After a violation or a close frame, further input is
/// dropped.
package struct WebSocketServerFrameParser: Sendable {
    private let maximumBytes: Int
    private let checksText: Bool
    private var input = ByteBuffer()
    /// Whether the parser owns the input's storage, rather than the reader of the socket.
    private var isOwn = true
    /// permessage-deflate was negotiated, with `server_no_context_takeover`.
    private var mayBeCompressed = false
    /// The joined fragments of the incomplete message.
    private var message: ByteBuffer?
    /// The message is compressed.
    private var isCompressed = false
    private var isOver = false

    /// - Parameters:
    ///   - maximumBytes: maximum message size.
    ///   - checksText: whether texts are validated as UTF-8 here; otherwise the reader must.
    package init(maximumBytes: Int, checksText: Bool = true) {
        self.maximumBytes = maximumBytes
        self.checksText = checksText
    }

    /// Accepts compressed messages from now on; each must be independent of the others.
    package mutating func acceptsCompression() {
        mayBeCompressed = true
    }

    /// Whether all input has been returned, so that the next byte begins a frame and a message.
    package var isBetweenMessages: Bool { input.readableBytes == 0 && message == nil && !isOver }

    /// Consumes all of `bytes`.
    package mutating func append(_ bytes: inout ByteBuffer) {
        if !isOver {
            if input.readableBytes == 0 {
                input = bytes
                isOwn = false
            } else {
                input.writeImmutableBuffer(bytes)
            }
        }
        bytes = ByteBuffer()
    }

    /// The next complete message or control frame; `nil` if more bytes are needed.
    /// - Throws: once, at the first violation.
    package mutating func next() throws(WebSocketViolation) -> WebSocketInput? {
        do {
            while !isOver {
                guard let (first, payload) = try takeFrame() else {
                    keepInput()
                    return nil
                }
                if let complete = try end(first, payload) { return complete }
            }
            return nil
        } catch {
            stop()
            throw error
        }
    }

    /// - Returns: the first byte of the next frame and its payload, once complete.
    private mutating func takeFrame() throws(WebSocketViolation) -> (UInt8, ByteBuffer)? {
        let start = input.readerIndex
        guard let head = input.getInteger(at: start, as: UInt16.self) else { return nil }
        let (first, second) = (UInt8(head >> 8), UInt8(head & 0xFF))
        guard first & 0b0111_0000 == 0 || mayBeCompressed && Self.mayHaveRSV1(first) else { throw .reservedBit }
        // A server does not mask (§5.1); the length byte includes the mask bit.
        guard second & 0x80 == 0 else { throw .badLength }
        var (length, size) = (Int(second), 2)
        if second == 126 {
            guard let value = input.getInteger(at: start + 2, as: UInt16.self) else { return nil }
            (length, size) = (Int(value), 4)
        } else if second == 127 {
            guard let value = input.getInteger(at: start + 2, as: UInt64.self) else { return nil }
            guard let value = Int(exactly: value) else { throw .badLength }
            (length, size) = (value, 10)
        }
        guard length <= maximumBytes - (message?.readableBytes ?? 0) else {
            throw .tooLarge(maximumBytes: maximumBytes)
        }
        guard let payload = input.getSlice(at: start + size, length: length) else { return nil }
        input.moveReaderIndex(to: start + size + length)
        return (first, payload)
    }

    /// The input completed by a frame; `nil` for a fragment with more to come.
    private mutating func end(_ first: UInt8, _ payload: ByteBuffer) throws(WebSocketViolation) -> WebSocketInput? {
        let isFinal = first & 0x80 != 0
        guard let opcode = WebSocketOpcode(rawValue: first & 0xF) else { throw .unknownOpcode(first & 0xF) }
        if opcode.isControl {
            guard isFinal, payload.readableBytes <= WebSocketFrame.maximumControlBytes else { throw .badControlFrame }
        }
        switch opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong
        case .close:
            stop()
            if payload.readableBytes == 0 { return .close(code: nil) }
            guard let code = payload.getInteger(at: payload.readerIndex, as: UInt16.self),
                WebSocketCloseCode.maySend(code)
            else { throw .badCloseCode }
            return .close(code: code)
        case .binary: throw .binary
        case .text:
            guard message == nil else { throw .unfinishedMessage }
            isCompressed = first & 0x40 != 0
            if isFinal { return .text(try checked(payload)) }
            message = ByteBuffer(buffer: payload)
            return nil
        case .continuation:
            guard var whole = message else { throw .unexpectedContinuation }
            message = nil
            whole.writeImmutableBuffer(payload)
            if isFinal { return .text(try checked(whole)) }
            message = whole
            return nil
        }
    }

    /// Only the first frame of a text may have the bit (RFC 7692 §6), and no other reserved bit may be set.
    private static func mayHaveRSV1(_ first: UInt8) -> Bool {
        first & 0b0111_0000 == 0x40 && first & 0xF == WebSocketOpcode.text.rawValue
    }

    private func checked(_ payload: ByteBuffer) throws(WebSocketViolation) -> ByteBuffer {
        let text = isCompressed ? try PerMessageDeflate.inflate(payload, maximumBytes: maximumBytes) : payload
        guard !checksText || text.withUnsafeReadableBytes(UTF8Check.isValid) else { throw .notUTF8 }
        return text
    }

    /// Copies an incomplete frame to a separate buffer, so that the receive buffer can be reused.
    private mutating func keepInput() {
        if isOwn, input.readerIndex == 0, input.readableBytes > 0 { return }
        var own = ByteBuffer()
        if input.readableBytes > 0 { own.writeImmutableBuffer(input) }
        input = own
        isOwn = true
    }

    private mutating func stop() {
        isOver = true
        input = ByteBuffer()
        message = nil
    }
}
