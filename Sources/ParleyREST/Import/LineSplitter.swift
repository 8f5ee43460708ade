package import NIOCore

/// Cuts a stream of bytes into lines, whatever pieces it comes in; holds at most one line.
package struct LineSplitter {
    /// The longest line, in bytes without its end.
    package static let maximumLength = 65_536

    package struct Line: Hashable, Sendable {
        /// 1 for the first of the stream.
        package let number: Int
        /// Without the end; `nil` if the line is too long.
        package let bytes: [UInt8]?
    }

    private var number = 1
    private var begun: [UInt8] = []
    private var isTooLong = false

    package init() {}

    /// The lines that end in `buffer`, in order.
    package mutating func lines(in buffer: ByteBuffer) -> [Line] {
        var lines: [Line] = []
        var rest = buffer.readableBytesView
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            take(rest[..<end])
            lines.append(endLine())
            rest = rest[(end + 1)...]
        }
        take(rest)
        return lines
    }

    /// What is left at the end of the stream; `nil` if that is nothing.
    package mutating func last() -> Line? {
        begun.isEmpty && !isTooLong ? nil : endLine()
    }

    private mutating func take(_ bytes: ByteBufferView) {
        guard !isTooLong, begun.count + bytes.count <= Self.maximumLength else {
            isTooLong = true
            begun = []
            return
        }
        begun += bytes
    }

    private mutating func endLine() -> Line {
        defer {
            number += 1
            begun = []
            isTooLong = false
        }
        return Line(number: number, bytes: isTooLong ? nil : begun)
    }
}
