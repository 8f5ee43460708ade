package import NIOCore

/// A command in the bytes that Redis wants.
package struct RESPCommand: Hashable, Sendable {
    package private(set) var bytes: ByteBuffer

    /// A command whose arguments follow, exactly `count` of them, the name being the first.
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

    package mutating func append(_ number: some BinaryInteger) {
        append(String(number))
    }

    private static let lineEnd: UInt16 = 0x0D0A

    /// A mark, a count and a line's end, without a string in between: there is one before every argument.
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
