package import NIOCore

/// Cuts the bytes of a TCP connection into lines, which end in `\n` or `\r\n`.
///
/// Some clients send no line end at all, so silence ends a line too: whoever has the clock calls `flush()` then.
/// Call `next()` until it says `nil` after every `append`. Between such calls at most `maximumBytes` and one
/// carriage return are held, and nothing at all between two lines.
package struct LineSplitter: Sendable {
    package enum Item: Hashable, Sendable {
        /// A line without its end, at most `maximumBytes`.
        case line(ByteBuffer)
        /// A line was longer; it is reported once, as soon as that is known, and what remains of it is skipped.
        case tooLong
    }

    /// The longest line, in bytes without its end.
    package static let maximumBytes = 1024

    /// Received and not looked at yet.
    private var input = ByteBuffer()
    /// The beginning of a line whose end has not come.
    private var line = ByteBuffer()
    /// The line was reported as too long and goes on.
    private var isSkipping = false
    /// Silence ended the last line; if a line end comes late, it is part of that line and not an empty line.
    private var isLineEndDue = false

    package init() {}

    /// A line has begun and not ended, so the silence that would end it should be waited for.
    package var isMidLine: Bool { isSkipping || line.readableBytes > 0 }

    /// Takes all of `bytes`, which is empty afterwards.
    package mutating func append(_ bytes: inout ByteBuffer) {
        if input.readableBytes == 0 { input = bytes } else { input.writeImmutableBuffer(bytes) }
        bytes = ByteBuffer()
    }

    /// The next line that is complete.
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

    /// Ends the line that stands there, because nothing more came for a while.
    /// - Returns: the line; `nil` if there is none, or it was reported as too long.
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

    /// Moves `count` bytes, and the line feed behind them if `isEnd`, from the input to the line.
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
        // A carriage return may be the beginning of the line's end, which does not count.
        if length - (lastByte == UInt8(ascii: "\r") ? 1 : 0) > Self.maximumBytes {
            input.moveReaderIndex(forwardBy: count)
            line = ByteBuffer()
            isSkipping = !isEnd
            isLineEndDue = false
            return .tooLong
        }
        var part = input.readSlice(length: count) ?? ByteBuffer()
        guard isEnd else {
            // A copy, not the slice: that would keep the receive buffer from being used again.
            line.writeBuffer(&part)
            return nil
        }
        if line.readableBytes == 0 { return finish(part) }
        line.writeBuffer(&part)
        defer { line = ByteBuffer() }
        return finish(line)
    }

    /// The line as its reader gets it: `nil` if it is only the late end of the line before.
    private mutating func finish(_ line: ByteBuffer) -> Item? {
        var line = line
        if line.readableBytesView.last == UInt8(ascii: "\r") { line.moveWriterIndex(to: line.writerIndex - 1) }
        let isLate = isLineEndDue && line.readableBytes == 0
        isLineEndDue = false
        return isLate ? nil : .line(line)
    }
}
