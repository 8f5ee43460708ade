package import NIOCore

/// A command in RESP encoding.
package struct RESPCommand: Hashable, Sendable {
    package private(set) var bytes: ByteBuffer

    /// Begins a command of exactly `count` arguments, the first being its name; the caller appends them.
    package init(count: Int, capacity: Int = 64) {
        bytes = ByteBuffer()
        bytes.reserveCapacity(capacity)
        writeHeader(UInt8(ascii: "*"), count)
    }

    package init(_ arguments: [String]) {
        self.init(count: arguments.count)
        for argument in arguments { append(argument) }
    }

    package init(_ arguments: String...) {
        self.init(arguments)
    }

    package mutating func append(_ text: String) {
        writeHeader(UInt8(ascii: "$"), text.utf8.count)
        bytes.writeString(text)
        bytes.writeInteger(Self.lineEnd)
    }

    package mutating func append(_ data: [UInt8]) {
        writeHeader(UInt8(ascii: "$"), data.count)
        bytes.writeBytes(data)
        bytes.writeInteger(Self.lineEnd)
    }

    // Inlinable: other targets call it for each message, and a generic function is specialised only within its own.
    @inlinable package mutating func append(_ number: some BinaryInteger) {
        append(String(number))
    }

    private static let lineEnd: UInt16 = 0x0D0A

    /// Writes a type byte, a count and CR LF without an intermediate string; called for every argument.
    private mutating func writeHeader(_ mark: UInt8, _ count: Int) {
        bytes.writeInteger(mark)
        var divisor = 1
        while count / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            bytes.writeInteger(UInt8(ascii: "0") + UInt8(count / divisor % 10))
            divisor /= 10
        }
        bytes.writeInteger(Self.lineEnd)
    }
}
