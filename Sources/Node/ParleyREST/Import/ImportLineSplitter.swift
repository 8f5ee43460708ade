package import NIOCore

/// Splits a stream of bytes into lines, however it is divided into chunks. Holds one line at most.
package struct ImportLineSplitter {
    /// The maximum length of a line, in bytes without the line end.
    package static let maximumLength = 65_536

    package struct Line: Hashable, Sendable {
        /// The number of the line, starting with 1.
        package let number: Int
        /// The line without its end; `nil` if the line is too long.
        package let bytes: [UInt8]?
    }

    private var number = 1
    private var begun: [UInt8] = []
    private var isTooLong = false

    package init() {}

    /// Returns the lines that end in `buffer`, in order.
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

    /// Returns the remainder at the end of the stream, or `nil` if it is empty.
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
