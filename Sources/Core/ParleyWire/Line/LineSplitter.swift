package import NIOCore

/// Splits the bytes of a TCP connection into lines, which end in `\n` or `\r\n`.
///
/// Some clients send no line end at all, so silence ends a line too: the owner of the timer then calls `flush()`. After
/// every `append`, call `next()` until it returns `nil`. Between such calls it holds at most `maximumBytes` and one
/// carriage return, and nothing at all between two lines.
package struct LineSplitter: Sendable {
    package enum Item: Hashable, Sendable {
        /// A line without its line end, at most `maximumBytes`.
        case line(ByteBuffer)
        /// A line exceeded the limit; reported once, as soon as that is known, and the rest of the line is skipped.
        case tooLong
    }

    /// Maximum line length, in bytes without the line end.
    package static let maximumBytes = 1024

    /// Received bytes that are not examined yet.
    private var input = ByteBuffer()
    /// The beginning of an incomplete line.
    private var line = ByteBuffer()
    /// Whether the rest of a line reported as too long is being skipped.
    private var isSkipping = false
    /// Silence ended the last line; a late line end then belongs to that line and is not an empty line.
    private var isLineEndDue = false

    package init() {}

    /// Whether a line has begun and not ended, so that the silence timer is needed.
    package var isMidLine: Bool { isSkipping || line.readableBytes > 0 }

    /// Consumes all of `bytes`.
    package mutating func append(_ bytes: inout ByteBuffer) {
        if input.readableBytes == 0 { input = bytes } else { input.writeImmutableBuffer(bytes) }
        bytes = ByteBuffer()
    }

    /// The next complete line.
    package mutating func next() -> Item? {
        while input.readableBytes > 0 {
            let view = input.readableBytesView
            let end = view.firstIndex(of: UInt8(ascii: "\n"))
            let count = end.map { $0 - view.startIndex } ?? view.count
            if let item = take(count, isEnd: end != nil) { return item }
        }
        input = ByteBuffer()
        return nil
    }

    /// Ends the pending line after a period of silence.
    /// - Returns: the line; `nil` if there is none, or if it was reported as too long.
    package mutating func flush() -> Item? {
        guard isMidLine else { return nil }
        if isSkipping {
            isSkipping = false
            isLineEndDue = true
            return nil
        }
        let item = finish(line)
        line = ByteBuffer()
        isLineEndDue = true
        return item
    }

    /// Moves `count` bytes, and the line feed after them if `isEnd`, from the input to the line.
    private mutating func take(_ count: Int, isEnd: Bool) -> Item? {
        defer { if isEnd { input.moveReaderIndex(forwardBy: 1) } }
        if isSkipping {
            input.moveReaderIndex(forwardBy: count)
            isSkipping = !isEnd
            return nil
        }
        let last = count > 0 ? input.readerIndex + count - 1 : nil
        let lastByte = last.flatMap { input.getInteger(at: $0, as: UInt8.self) } ?? line.readableBytesView.last
        let length = line.readableBytes + count
        // A carriage return may be part of the line end, which does not count.
        if length - (lastByte == UInt8(ascii: "\r") ? 1 : 0) > Self.maximumBytes {
            input.moveReaderIndex(forwardBy: count)
            line = ByteBuffer()
            isSkipping = !isEnd
            isLineEndDue = false
            return .tooLong
        }
        var part = input.readSlice(length: count) ?? ByteBuffer()
        guard isEnd else {
            // Copied: a slice would keep the receive buffer from being reused.
            line.writeBuffer(&part)
            return nil
        }
        if line.readableBytes == 0 { return finish(part) }
        line.writeBuffer(&part)
        defer { line = ByteBuffer() }
        return finish(line)
    }

    /// The completed line; `nil` if it is only the late line end of the previous line.
    private mutating func finish(_ line: ByteBuffer) -> Item? {
        var line = line
        if line.readableBytesView.last == UInt8(ascii: "\r") { line.moveWriterIndex(to: line.writerIndex - 1) }
        let isLate = isLineEndDue && line.readableBytes == 0
        isLineEndDue = false
        return isLate ? nil : .line(line)
    }
}
